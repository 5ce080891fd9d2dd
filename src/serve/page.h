/*
 * page - the page that the binary carries, one file, compressed (gzip).
 *
 * It is built from web/; where that could not be done it is empty.
 */
#ifndef SONDE_SERVE_PAGE_H
#define SONDE_SERVE_PAGE_H

#include <stddef.h>

extern const char page_bytes[];
extern const size_t page_size;

#endif
