#include "shop.h"

/* Fields are separated by '&'; one that begins with '$' is a macro. */
KEPT unsigned parse_request(struct worker *w, struct request *r)
{
	unsigned fields = 1, hash = 5381;

	for (unsigned pass = 0; pass < 3000; pass++) {
		fields = 1;
		for (const char *c = r->text; *c; c++) {
			hash = hash * 33 ^ (unsigned char)*c;
			if (*c == '&')
				fields++;
		}
	}
	w->page[hash % BLOCK_WORDS]++;
	for (const char *c = r->text; *c; c++)
		if (*c == '&' && c[1] == '$')
			expand_table(w, r);
	return fields;
}
