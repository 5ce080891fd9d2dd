#include "probe/landmark.h"

#include "base/text.h"
#include "probe/landmark_go.h"
#include "probe/locate.h"
#include "probe/plan.h"

/*
 * Itanium C++ ABI: Exception Handling, 1.3 (_Unwind_RaiseException, _Unwind_Resume,
 * _Unwind_ForcedUnwind: any language's exceptions, and the ends of threads by glibc's
 * pthread_exit and pthread_cancel) and 2.5.3 (__cxa_begin_catch).  System V ABI, dynamic
 * linking, r_debug.r_brk: what the loader calls for a debugger each time it has changed
 * what is mapped (_dl_debug_state by glibc's and musl's name).  Of Rust's standard library:
 * what catch_unwind calls where it has caught a panic, by its path in both manglings (RFC
 * 2603 and the one before), as it was (std::panicking::try) and is called.
 */
static const struct {
	const char *symbol; /* a glob of raw names */
	enum landmark_kind kind;
	enum site_role role;
} known[] = {
	{ "_Unwind_RaiseException", LANDMARKS_LEAVING, SITE_THROW },
	{ "_Unwind_ForcedUnwind", LANDMARKS_LEAVING, SITE_THREAD_END },
	{ "_Unwind_Resume", LANDMARKS_LEAVING, SITE_RESUME },
	{ "__cxa_begin_catch", LANDMARKS_LEAVING, SITE_CATCH },
	{ "_ZN3std9panicking3try7cleanup17h*", LANDMARKS_LEAVING, SITE_CATCH },
	{ "_ZN3std9panicking12catch_unwind7cleanup17h*", LANDMARKS_LEAVING, SITE_CATCH },
	{ "_RNvNvNt*3std9panicking3try7cleanup", LANDMARKS_LEAVING, SITE_CATCH },
	{ "_RNvNvNt*3std9panicking12catch_unwind7cleanup", LANDMARKS_LEAVING, SITE_CATCH },
	{ "_dl_debug_state", LANDMARKS_MAPS, SITE_LOADER },
};

/* A throw is not made slower for the sake of a name: none is single-stepped.  Maps
 * change seldom, and a hook's safety hangs on it. */
static bool place_landmark(const struct plan_request *r, enum landmark_kind kind,
			   struct site *ret)
{
	struct probe_function f;
	struct error ignored;
	const char *why;
	bool placed;

	function_init(r->image, r->symbol, &f);
	placed = plan_entry(r, &f, &why) == PLAN_DONE &&
		 (kind == LANDMARKS_MAPS || f.sites.at[0].price != INSN_STEPPED) &&
		 !locate_check_memory(r->image, &f, &ignored);
	if (placed)
		*ret = f.sites.at[0];
	function_done(&f);
	return placed;
}

static const struct symbol *find_symbol(const struct symtab *symbols, const char *glob)
{
	if (!text_is_glob(glob))
		return symtab_named(symbols, glob);
	for (uint32_t i = 0; i < symtab_count(symbols); i++)
		if (text_glob(glob, symtab_at(symbols, i)->raw))
			return symtab_at(symbols, i);
	return NULL;
}

static void find_in(struct code_image *image, struct decoder *decoder, unsigned kinds,
		    struct landmarks *ret)
{
	struct plan_request request = { .decoder = decoder, .image = image };
	struct landmark l = { .image = image->image, .path = image->path };

	for (unsigned i = 0; i < COUNT_OF(known); i++) {
		if (!(known[i].kind & kinds) || !image_defines(image->image, known[i].symbol))
			continue;
		request.symbol = code_symbols(image)
					 ? find_symbol(image->symbols, known[i].symbol)
					 : NULL;
		if (!request.symbol || !place_landmark(&request, known[i].kind, &l.site))
			continue;
		l.site.role = known[i].role;
		array_push(ret, l);
	}
}

/* Of these kinds, those that were not looked for in the file. */
static unsigned take_kinds(struct table *searched, const struct code_image *image,
			   unsigned kinds)
{
	uint64_t key = hash_bytes(&image->image, sizeof(image->image), 0);
	uint32_t had = table_find(searched, key);

	had = had == TABLE_NONE ? 0 : had;
	table_set(searched, key, had | kinds);
	return kinds & ~had;
}

void landmarks_find(struct code *code, unsigned kinds, struct table *searched,
		    struct landmarks *ret)
{
	struct decoder *decoder = NULL;

	for (uint32_t i = 0; kinds && i < code->count; i++) {
		struct code_image *image = &code->at[i];
		unsigned fresh = image->image ? take_kinds(searched, image, kinds) : 0;

		if (!fresh)
			continue;
		decoder = decoder ? decoder : decoder_new();
		find_in(image, decoder, fresh, ret);
		if (fresh & LANDMARKS_LEAVING)
			landmarks_find_go(image, decoder, ret);
	}
	decoder_free(decoder);
}
