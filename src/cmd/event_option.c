#include "cmd/event_option.h"

#include "base/mem.h"
#include "base/text.h"
#include "wire/sample_cause.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	uint64_t causes;
} events[] = {
	{ "cpu", CAUSES_ON },
	{ "offcpu", CAUSES_OFF },
	{ "wall", CAUSES_WALL },
};

static uint64_t causes_of(const char *name, bool kinds)
{
	for (unsigned i = 0; i < COUNT_OF(events); i++)
		if (strcmp(events[i].name, name) == 0)
			return events[i].causes;
	for (unsigned i = CAUSE_RUNNABLE; kinds && i < NR_SAMPLE_CAUSE; i++)
		if (strcmp(cause_words[i].name, name) == 0)
			return CAUSE_BIT(i);
	return 0;
}

static int refuse(const char *name, bool kinds, struct error *err)
{
	AUTO_TEXT struct text words = { 0 };

	for (unsigned i = CAUSE_RUNNABLE; kinds && i < NR_SAMPLE_CAUSE; i++)
		text_format(&words, "%s%s", i == CAUSE_RUNNABLE ? ", and of these " : ", ",
			    cause_words[i].name);
	return error_set(err, EINVAL,
			 "event '%s' is not in this version: there are cpu (threads that run), "
			 "offcpu (threads that wait) and wall (both)%s",
			 name, text_string(&words));
}

int event_causes(const struct option_texts *names, bool kinds, uint64_t *ret, struct error *err)
{
	*ret = 0;
	for (uint32_t i = 0; i < names->count; i++) {
		uint64_t causes = causes_of(names->at[i], kinds);

		if (!causes)
			return refuse(names->at[i], kinds, err);
		*ret |= causes;
	}
	return 0;
}
