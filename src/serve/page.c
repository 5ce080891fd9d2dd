#include "serve/page.h"

const char page_bytes[1];
const size_t page_size = 0;
