#include "source/price.h"

#include "source/gauge.h"

void price_measure(struct attach_links *links, enum attach_kind kind,
		   const struct attach_programs *programs, struct price *ret)
{
	double exit_jmp, exit_ret;

	ret->hooked.cheap = gauge_watched(links, kind, programs, GAUGE_PUSH);
	ret->hooked.stepped = gauge_watched(links, kind, programs, GAUGE_MOV);
	exit_jmp = gauge_watched(links, kind, programs, GAUGE_EXIT_JMP);
	exit_ret = gauge_watched(links, kind, programs, GAUGE_EXIT_RET);
	ret->plain.cheap = exit_jmp / 2;
	ret->plain.stepped = exit_ret > exit_jmp / 2 ? exit_ret - exit_jmp / 2 : 0;
}
