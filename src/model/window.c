#include "model/window.h"

#include <math.h>

struct window window_resolve(const struct window *asked, nsec first, nsec newest)
{
	struct window w = *asked;

	if (w.kind == WINDOW_RANGE)
		return w;
	w.from = first;
	w.to = newest;
	if (w.kind == WINDOW_LAST && newest > first && newest - first > w.length)
		w.from = newest - w.length;
	return w;
}

double window_weight(const struct window *w, nsec time)
{
	if (w->kind == WINDOW_ALL)
		return 1;
	if (time < w->from || time > w->to)
		return 0;
	if (w->kind != WINDOW_EWMA)
		return 1;
	return exp2(-(double)(w->to - time) / (w->length ? w->length : 1));
}

double window_seconds(const struct window *w)
{
	double length = w->to > w->from ? (w->to - w->from) / 1e9 : 0;
	double rate;

	if (w->kind != WINDOW_EWMA)
		return length;
	rate = M_LN2 / ((w->length ? w->length : 1) / 1e9);
	return (1 - exp(-rate * length)) / rate;
}
