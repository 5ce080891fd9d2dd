/*
 * escape - hostile names into formats that give bytes a meaning.
 *
 * Names come from symbol tables anybody may have written: whatever bytes they
 * hold, the result is well-formed UTF-8 that the format reads as plain text.
 */
#ifndef SONDE_SINK_ESCAPE_H
#define SONDE_SINK_ESCAPE_H

#include "base/text.h"

/* For XML text and attributes in either quote.  What XML 1.0 cannot hold at
 * all (control bytes, broken UTF-8, U+FFFE) becomes U+FFFD, and so do the marks
 * that reorder text on the screen. */
void escape_xml(struct text *t, const char *s);

/* A JSON string with its quotes (RFC 8259).  What is no plain text (text_is_plain) is kept as
 * \uXXXX, broken UTF-8 becomes U+FFFD. */
void escape_json(struct text *t, const char *s);

/* Part of a folded stack: ';' becomes ':', what a terminal could act on '?'. */
void escape_folded(struct text *t, const char *s);

#endif
