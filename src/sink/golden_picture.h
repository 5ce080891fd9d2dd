/*
 * golden_picture - pictures built by hand, for the tests of the sinks.
 *
 * The shop: 12 worker threads of a server; 951 of 19,012 calls of
 * handle_request are slower than p95 and spend their extra time in
 * expand_table, which is also hot outside them.  All numbers are constants.
 */
#ifndef SONDE_SINK_GOLDEN_PICTURE_H
#define SONDE_SINK_GOLDEN_PICTURE_H

#include "view/picture.h"

/* Split at p95: all sides have samples. */
struct picture *golden_split(void);
/* The same samples with the span alone: in and out. */
struct picture *golden_span(void);
/* The same samples with no span: all on SIDE_IN. */
struct picture *golden_plain(void);
/* Names with ';', quotes, markup, control bytes, broken UTF-8, 10 kB templates. */
struct picture *golden_hostile(void);
/* Nothing sampled, nothing called, every string empty. */
struct picture *golden_empty(void);

#endif
