#include "base/intern.h"

void intern_done(struct intern *in)
{
	for (uint32_t i = 0; i < in->strings.count; i++)
		free(in->strings.at[i]);
	array_done(&in->strings);
	table_done(&in->ids);
}

text_id intern_text(struct intern *in, const char *s)
{
	return intern_part(in, s, strlen(s));
}

text_id intern_part(struct intern *in, const char *s, size_t length)
{
	uint64_t key;
	uint32_t id;

	if (!in->strings.count)
		array_push(&in->strings, mem_text(""));
	if (!length)
		return 0;
	for (key = hash_bytes(s, length, 0);; key++) {
		id = table_find(&in->ids, key);
		if (id == TABLE_NONE)
			break;
		if (strncmp(in->strings.at[id], s, length) == 0 && !in->strings.at[id][length])
			return id;
	}
	if (in->limit && length > in->limit - in->size) {
		in->refused++;
		return 0;
	}
	in->size += length;
	array_push(&in->strings, mem_text_part(s, length));
	table_set(&in->ids, key, in->strings.count - 1);
	return in->strings.count - 1;
}

const char *intern_string(const struct intern *in, text_id id)
{
	return id < in->strings.count ? in->strings.at[id] : "";
}
