#include "cmd/reasons.h"

#include <stdlib.h>
#include <string.h>

void reasons_add(struct reason_list *l, const char *text)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (!strcmp(l->at[i].text, text)) {
			l->at[i].count++;
			return;
		}
	array_push(l, ((struct reason){ text, 1 }));
}

static int by_count(const void *a, const void *b)
{
	const struct reason *left = a, *right = b;

	return (left->count < right->count) - (left->count > right->count);
}

void reasons_sort(struct reason_list *l)
{
	if (l->count)
		qsort(l->at, l->count, sizeof(l->at[0]), by_count);
}

json_t *reasons_json(const struct reason_list *l)
{
	json_t *o = json_object();

	for (uint32_t i = 0; i < l->count; i++)
		json_object_set_new(o, l->at[i].text, json_integer(l->at[i].count));
	return o;
}
