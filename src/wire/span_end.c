#include "wire/span_end.h"

const struct span_end_word span_end_words[NR_SPAN_END] = {
	[END_RETURN] = { "return", SPAN_END_TRUE },
	[END_LONGJMP] = { "longjmp", SPAN_END_TRUE },
	[END_EXIT] = { "exit", SPAN_END_TRUE },
	[END_EXEC] = { "exec", SPAN_END_TRUE },
	[END_DETACHED] = { "detached", SPAN_END_CUT },
	[END_LOST] = { "lost", SPAN_END_CUT },
	[END_TOO_DEEP] = { "too_deep", SPAN_END_UNOPENED },
	[END_FOREIGN] = { "foreign", SPAN_END_UNOPENED },
	[END_UNTRACKED] = { "untracked", SPAN_END_UNOPENED },
	[END_UNJUDGED] = { "unjudged", SPAN_END_UNOPENED },
	[END_THROW] = { "throw", SPAN_END_TRUE },
	[END_BRACKET] = { "bracket", SPAN_END_TRUE },
};

enum span_end span_end_known(__u32 reason)
{
	return reason < NR_SPAN_END ? reason : END_LOST;
}
