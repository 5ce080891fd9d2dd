/* Reads the functions out of the table that Go programs carry (pcln.h). */
#include "elf/pcln.h"
#include "elf/segment.h"
#include "elf/symlist.h"

#include <string.h>

/* How many bytes of names may be looked at for each byte of the table: in honest ones
 * each name is there once. */
#define NAME_BYTES_RATIO 4

static bool add_function(struct symlist *l, const struct image *image,
			 const struct pcln_func *f)
{
	uint64_t offset, end;

	if (!*f->name || !image_to_offset(image, f->start, &offset))
		return false;
	end = image_code_end(image, offset);
	if (!end)
		return false;
	symlist_add(l, (struct symbol){
			       .offset = offset,
			       .size = f->end - f->start < end - offset ? f->end - f->start
									: end - offset,
			       .raw = f->name,
			       .kind = SYMBOL_FUNC,
		       });
	return true;
}

bool symread_pcln(struct symlist *l, const struct image *image)
{
	const struct section *s = pcln_section(image);
	const uint8_t *bytes = section_bytes(image, s);
	bool any = false;
	struct pcln p;
	uint64_t budget;

	if (!bytes || !pcln_init(&p, image, s, bytes))
		return false;
	budget = s->size * NAME_BYTES_RATIO;
	for (uint32_t i = 0; i < p.count; i++) {
		struct pcln_func f;
		size_t length;

		if (!pcln_at(&p, i, &f))
			continue;
		length = strlen(f.name) + 1;
		if (length > budget) {
			l->forgotten += p.count - i;
			break;
		}
		budget -= length;
		any |= add_function(l, image, &f);
	}
	return any;
}
