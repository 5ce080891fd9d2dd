#include "source/price.h"

#include "source/gauge.h"

void price_measure(struct attach_links *links, enum attach_kind kind,
		   const struct attach_programs *programs, struct price *ret)
{
	ret->cheap = gauge_watched(links, kind, programs, GAUGE_PUSH);
	ret->stepped = gauge_watched(links, kind, programs, GAUGE_MOV);
}
