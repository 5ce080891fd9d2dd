#include "sink/pprof_read.h"

#include <inttypes.h>
#include <zlib.h>

void pprof_unzip(struct text *ret, const struct text *gz)
{
	z_stream z = { .next_in = (unsigned char *)gz->bytes, .avail_in = gz->size };
	char buf[65536];
	int rc;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return;
	do {
		z.next_out = (unsigned char *)buf;
		z.avail_out = sizeof(buf);
		rc = inflate(&z, Z_NO_FLUSH);
		text_add_part(ret, buf, sizeof(buf) - z.avail_out);
	} while (rc == Z_OK);
	inflateEnd(&z);
	if (rc != Z_STREAM_END)
		text_clear(ret);
}

Pprof__Profile *pprof_read(const struct text *gz)
{
	AUTO_TEXT struct text bytes = { 0 };

	pprof_unzip(&bytes, gz);
	return pprof__profile__unpack(NULL, bytes.size, (uint8_t *)bytes.bytes);
}

static void print_tables(struct text *out, const Pprof__Profile *m)
{
	char **s = m->string_table;

	for (size_t i = 0; i < m->n_mapping; i++)
		text_format(out,
			    "mapping %" PRIu64 " %" PRIx64 "-%" PRIx64 " +%" PRIx64 " %s %s\n",
			    m->mapping[i]->id, m->mapping[i]->memory_start,
			    m->mapping[i]->memory_limit, m->mapping[i]->file_offset,
			    s[m->mapping[i]->filename], s[m->mapping[i]->build_id]);
	for (size_t i = 0; i < m->n_location; i++)
		text_format(out,
			    "location %" PRIu64 " mapping %" PRIu64 " %" PRIx64
			    " function %" PRIu64 "\n",
			    m->location[i]->id, m->location[i]->mapping_id,
			    m->location[i]->address, m->location[i]->line[0]->function_id);
	for (size_t i = 0; i < m->n_function; i++)
		text_format(out, "function %" PRIu64 " %s:%" PRId64 " %s\n", m->function[i]->id,
			    s[m->function[i]->filename], m->function[i]->start_line,
			    s[m->function[i]->name]);
}

void pprof_print(struct text *out, const struct text *gz)
{
	Pprof__Profile *m = pprof_read(gz);
	char **s;

	if (!m) {
		text_add(out, "not a profile\n");
		return;
	}
	s = m->string_table;
	for (size_t i = 0; i < m->n_sample_type; i++)
		text_format(out, "type %s/%s\n", s[m->sample_type[i]->type],
			    s[m->sample_type[i]->unit]);
	text_format(out, "default %s period %" PRId64 " %s time %" PRId64 " for %" PRId64 "\n",
		    s[m->default_sample_type], m->period, s[m->period_type->unit],
		    m->time_nanos, m->duration_nanos);
	for (size_t i = 0; i < m->n_comment; i++)
		text_format(out, "comment %s\n", s[m->comment[i]]);
	for (size_t i = 0; i < m->n_sample; i++) {
		const Pprof__Sample *sample = m->sample[i];

		text_format(out, "sample %" PRId64 " %" PRId64, sample->value[0],
			    sample->value[1]);
		for (size_t k = 0; k < sample->n_label; k++)
			text_format(out, " %s=%s", s[sample->label[k]->key],
				    s[sample->label[k]->str]);
		text_add(out, " at");
		for (size_t k = 0; k < sample->n_location_id; k++)
			text_format(out, " %" PRIu64, sample->location_id[k]);
		text_add_char(out, '\n');
	}
	print_tables(out, m);
	pprof__profile__free_unpacked(m, NULL);
}
