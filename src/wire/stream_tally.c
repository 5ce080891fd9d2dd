#include "wire/stream.h"

#include <inttypes.h>

static void add_part(struct text *to, size_t start, const char *part)
{
	if (to->size > start)
		text_add(to, "; ");
	text_add(to, part);
}

bool stream_tally_print(const struct stream_tally *tally, struct text *to)
{
	char size[TEXT_QUANTITY], count[TEXT_QUANTITY];
	size_t start = to->size;

	if (!tally->ended)
		add_part(to, start, "it has no end: its writer was stopped hard");
	if (tally->bytes_cut)
		text_format(to, ", %s of an unfinished block are left out",
			    text_size(size, tally->bytes_cut));
	if (tally->blocks_damaged) {
		add_part(to, start, "damaged: ");
		text_format(to, "%s in %s places are left out",
			    text_size(size, tally->bytes_damaged),
			    text_count(count, tally->blocks_damaged));
	}
	if (tally->blocks_missing) {
		add_part(to, start, "");
		text_format(to, "%s blocks are missing",
			    text_count(count, tally->blocks_missing));
	}
	if (tally->events_refused) {
		add_part(to, start, "");
		text_format(to, "%s records make no sense and are left out",
			    text_count(count, tally->events_refused));
	}
	return to->size > start;
}
