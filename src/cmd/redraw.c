#include "cmd/redraw.h"

#include "base/columns.h"
#include "base/terminal.h"

#include <errno.h>
#include <unistd.h>

#define WINDOW_LINES 24 /* where it is not known */
#define WINDOW_COLUMNS 80

void redraw_open(struct redraw *r, bool objects)
{
	*r = (struct redraw){ .terminal = !objects && terminal_has_codes(STDOUT_FILENO) };
	outflow_open(&r->out, STDOUT_FILENO);
}

unsigned redraw_columns(void)
{
	unsigned columns = terminal_columns(STDOUT_FILENO);

	return columns ? columns : WINDOW_COLUMNS;
}

bool redraw_ready(struct redraw *r)
{
	outflow_try(&r->out);
	return !outflow_waiting(&r->out);
}

void redraw_put(struct redraw *r, const struct text *bytes, bool last)
{
	AUTO_TEXT struct text clipped = { 0 }, ascii = { 0 }, drawn = { 0 };
	const char *out = text_string(bytes);
	unsigned window = terminal_lines(STDOUT_FILENO), lines = 0;

	if (r->terminal && !last) {
		columns_clip(&clipped, out, redraw_columns(),
			     window > 2 ? window - 1 : WINDOW_LINES - 1);
		out = text_string(&clipped);
	}
	out = terminal_text(out, &ascii);
	if (r->terminal && r->lines)
		text_format(&drawn, "\033[%uA\033[J", r->lines);
	text_add(&drawn, out);
	outflow_put(&r->out, text_string(&drawn), drawn.size);
	for (; *out; out++)
		lines += *out == '\n';
	r->lines = lines;
}

int redraw_end(struct redraw *r)
{
	int code = outflow_end(&r->out);

	outflow_done(&r->out);
	return code == -EPIPE ? 0 : code; /* it has seen enough */
}
