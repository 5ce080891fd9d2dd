#include "model/side.h"

const char *const side_names[NR_SIDE] = {
	[SIDE_IN] = "in",   [SIDE_REST] = "rest",     [SIDE_OPEN] = "open",
	[SIDE_OUT] = "out", [SIDE_BEFORE] = "before",
};
