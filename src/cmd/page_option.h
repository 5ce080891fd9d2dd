/*
 * page_option - the options of commands that serve the page, and what these say.
 */
#ifndef SONDE_CMD_PAGE_OPTION_H
#define SONDE_CMD_PAGE_OPTION_H

#include "cmd/run_option.h"
#include "serve/server.h"

struct page_option {
	struct run_option run;
	struct option_texts listen;
	bool read_only;
};

extern const struct option_group group_page;   /* --listen --read-only */
extern const struct option_group group_listen; /* --listen */

int page_open(const struct page_option *o, struct verb_scene *scene, uv_loop_t *loop,
	      struct server **ret, struct error *err);
/* What is asked for is the address: it is the answer and goes to standard output, the rest are
 * messages. */
void page_say_address(const struct server *server);

#endif
