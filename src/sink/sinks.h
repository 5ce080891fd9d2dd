/*
 * sinks - the formats there are, for sink_list.
 */
#ifndef SONDE_SINK_SINKS_H
#define SONDE_SINK_SINKS_H

#include "sink/sink.h"

extern const struct sink sink_text;	  /* for people, text_report.c */
extern const struct sink sink_json;	  /* for scripts, json.c */
extern const struct sink sink_folded;	  /* stacks as lines, folded.c */
extern const struct sink sink_svg;	  /* flame graph, svg.c */
extern const struct sink sink_pprof;	  /* profile.proto, pprof.c */
extern const struct sink sink_speedscope; /* speedscope.app, speedscope.c */

#endif
