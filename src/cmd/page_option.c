#include "cmd/page_option.h"

#include "base/log.h"

#include <stdio.h>

static const struct option_spec specs[] = {
	{ OPTION_FLAG, 0, "read-only", NULL, "the page may look and not change what is watched",
	  offsetof(struct page_option, read_only) },
	{ OPTION_TEXTS, 0, "listen", "WHERE",
	  "serve there: PORT, ADDRESS:PORT, or /PATH (a Unix socket); may be repeated",
	  offsetof(struct page_option, listen) },
};

const struct option_group group_page = OPTION_GROUP("Page", specs);
const struct option_group group_listen = { "Page", specs + 1, 1 };

int page_open(const struct page_option *o, struct verb_scene *scene, uv_loop_t *loop,
	      struct server **ret, struct error *err)
{
	const struct server_option option = { o->listen.at, o->listen.count };

	return server_open(&option, scene, loop, ret, err);
}

void page_say_address(const struct server *server)
{
	AUTO_TEXT struct text addresses = { 0 }, moved = { 0 };

	server_moved(server, &moved);
	if (moved.size)
		log_say("%s", text_string(&moved));
	server_addresses(server, &addresses);
	fputs(text_string(&addresses), stdout);
	fflush(stdout);
}
