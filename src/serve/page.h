/*
 * page - the page that the binary carries, one file, compressed (gzip).
 *
 * It is built from web/ (web/make-page); where that could not be done it is empty.
 */
#ifndef SONDE_SERVE_PAGE_H
#define SONDE_SERVE_PAGE_H

#include <stddef.h>

extern const unsigned char page_bytes[];
extern const size_t page_size;
/* The source of the page's script for a content security policy, its hash (CSP 3, section
 * 2.3.1). */
extern const char page_script[];

#endif
