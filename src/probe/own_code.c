#include "probe/own_code.h"

struct code own;
struct decoder *decoder;

int open_own(void **state)
{
	decoder = decoder_new();
	return code_open_file("/proc/self/exe", &own, NULL);
}

int close_own(void **state)
{
	decoder_free(decoder);
	code_done(&own);
	return 0;
}
