#include "probe/locate.h"

#include "probe/match.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CODE_MAX (1u << 20) /* bytes of one function that are read */
#define INT3 0xcc

static uint8_t *read_code(const struct image *image, uint64_t offset, uint64_t size,
			  uint64_t *ret_size)
{
	uint64_t wanted = size && size < CODE_MAX ? size : size ? CODE_MAX : 64;
	uint8_t *bytes = mem_alloc(wanted);

	*ret_size = image_read(image, offset, bytes, wanted);
	return bytes;
}

/*
 * Functions that keep or judge their own return address: with a hook they would
 * come back to the wrong place (setjmp, vfork, contexts), or take their caller for
 * another (dlsym(RTLD_NEXT), profiling hooks, unwinders).  Nobody calls _start.
 */
static const char *const own_return[] = {
	"setjmp",      "_setjmp",      "sigsetjmp",	"__sigsetjmp",	 "vfork",
	"__vfork",     "__libc_vfork", "getcontext",	"setcontext",	 "swapcontext",
	"makecontext", "__getcontext", "__swapcontext", "clone",	 "clone3",
	"__clone*",    "_start",       "__restore_rt",	"_dl_runtime_*", "dlopen*",
	"dlmopen*",    "dlsym*",       "dlvsym*",	"__dlopen",	 "__dlmopen",
	"__dlsym",     "__dlvsym",     "mcount",	"_mcount",	 "__fentry__",
	"_Unwind_*",   "__libc_dl*",   "backtrace",	"__backtrace",
};

static bool keeps_return(const char *raw)
{
	for (unsigned i = 0; i < COUNT_OF(own_return); i++)
		if (text_glob(own_return[i], raw))
			return true;
	return false;
}

/* One function, several names: any of them tells. */
static bool any_name_keeps_return(struct code_image *image, const struct symbol *symbol)
{
	const struct symtab *t = image->symbols;

	for (uint32_t i = symtab_lower(t, symbol->offset);
	     i < symtab_count(t) && symtab_at(t, i)->offset == symbol->offset; i++)
		if (keeps_return(symtab_at(t, i)->raw))
			return true;
	return false;
}

/* Where the unwind table says nothing, a symbol without a type is a mere label. */
bool locate_is_entry(struct code_image *image, const struct symbol *symbol, uint64_t offset)
{
	uint64_t address = 0;
	enum cfa_answer answer;

	image_to_address(image->image, symbol->offset + offset, &address);
	answer = cfa_is_entry(code_cfa(image), address);
	return answer == CFA_UNKNOWN ? !symbol->label && symbol->kind != SYMBOL_UNNAMED
				     : answer != CFA_NO;
}

bool locate_is_called(struct code_image *image, const struct symbol *symbol)
{
	return symbol->kind != SYMBOL_IFUNC && symbol->kind != SYMBOL_PLT &&
	       locate_is_entry(image, symbol, 0);
}

/* Walking the code said what SP does; the unwind table has to agree. */
static void check_entry(struct code_image *image, const struct symbol *symbol,
			struct site_choice *s)
{
	if (!locate_is_entry(image, symbol, s->offset))
		s->sp_is_entry = false;
	if (!s->sp_is_entry)
		s->no_end = "the stack is not that of a function's entry there";
	else if (any_name_keeps_return(image, symbol))
		s->no_end = "it uses its own return address, as setjmp does";
}

/* A moved probe can be met by a branch that comes back from the cold part. */
static void choose_entry(struct decoder *decoder, struct code_image *image,
			 const struct symbol *symbol, struct function_code *f,
			 struct site_choice *ret)
{
	AUTO_FREE uint8_t *bytes = NULL;
	const struct symbol *cold;

	site_entry(decoder, f, ret);
	cold = ret->moved && !ret->refused ? code_cold_part(image, symbol) : NULL;
	if (!cold)
		return;
	bytes = read_code(image->image, cold->offset, cold->size, &f->cold_size);
	f->cold = bytes;
	image_to_address(image->image, cold->offset, &f->cold_address);
	site_entry(decoder, f, ret);
}

void locate_choose(struct decoder *decoder, struct code_image *image,
		   const struct symbol *symbol, const uint64_t *exact, struct site_choice *ret)
{
	struct function_code f = { 0 };
	AUTO_FREE uint8_t *bytes =
		read_code(image->image, symbol->offset, symbol->size, &f.size);

	f.bytes = bytes;
	image_to_address(image->image, symbol->offset, &f.address);
	if (exact)
		site_exact(decoder, &f, *exact, ret);
	else
		choose_entry(decoder, image, symbol, &f, ret);
	if (!image_is_code(image->image, symbol->offset + ret->offset)) {
		ret->price = INSN_REFUSED;
		ret->refused = "not in an executable part of the file";
	}
	if (!ret->refused)
		check_entry(image, symbol, ret);
}

static char *make_name(const char *raw)
{
	struct text name = { 0 };
	char *s;

	match_full_name(raw, &name);
	if (match_is_clone(raw))
		text_format(&name, " [%s]", raw + match_base_length(raw));
	s = mem_text(text_string(&name));
	text_done(&name);
	return s;
}

void function_init(const struct code_image *image, const struct symbol *symbol,
		   struct probe_function *ret)
{
	*ret = (struct probe_function){
		.entry = symbol->offset,
		.size = symbol->size,
		.image = image_use(image->image),
		.image_path = mem_text(image->path),
		.symbol = mem_text(symbol->raw),
		.name = make_name(symbol->raw),
	};
	image_to_address(image->image, symbol->offset, &ret->address);
}

void function_done(struct probe_function *f)
{
	array_done(&f->sites);
	array_done(&f->parts);
	image_close(f->image);
	free(f->image_path);
	free(f->symbol);
	free(f->name);
	free(f->followed_names);
}

/* A probe shows as an int3, a probe on a 5-byte nop as a call to the kernel's
 * trampoline (from 6.18 on): somebody else watches the same function. */
static bool is_tracers(const uint8_t *memory, const uint8_t *file, size_t left)
{
	static const uint8_t nop5[] = { 0x0f, 0x1f, 0x44, 0x00 };

	if (memory[0] == INT3)
		return true;
	return left >= 5 && memory[0] == 0xe8 && !memcmp(file, nop5, sizeof(nop5));
}

static int fail_stale(const struct code_image *image, const struct probe_function *f,
		      struct error *err)
{
	return error_set(err, ESTALE,
			 "the code of %.200s in process %u is not what '%s' holds (patched at "
			 "run time?): not probed",
			 f->name, image->pid, image->path);
}

static bool is_same(const uint8_t *memory, const uint8_t *file, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (memory[i] == file[i])
			continue;
		if (!is_tracers(memory + i, file + i, size - i))
			return false;
		if (memory[i] == 0xe8)
			i += 4;
	}
	return true;
}

static int check_part(const struct code_image *image, const struct probe_function *f,
		      const struct code_part *part, struct error *err)
{
	AUTO_FREE uint8_t *file = mem_alloc(part->size);
	AUTO_FREE uint8_t *memory = mem_alloc(part->size);

	if (code_read_memory(image, part->offset, memory, part->size) != part->size)
		return 1;
	if (image_read(image->image, part->offset, file, part->size) != part->size)
		return error_set(err, ESTALE, "'%s' ends within %s", image->name, f->name);
	return is_same(memory, file, part->size) ? 0 : fail_stale(image, f, err);
}

int locate_check_memory(const struct code_image *image, struct probe_function *f,
			struct error *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < f->sites.count && image->pid; i++)
		if (!code_is_mapped(image, f->sites.at[i].offset))
			return error_set(err, ESTALE,
					 "%.200s of '%s' is not mapped in process %u", f->name,
					 image->path, image->pid);
	for (uint32_t i = 0; i < f->parts.count && ret >= 0; i++) {
		int code = check_part(image, f, &f->parts.at[i], err);

		ret = code ? code : ret;
	}
	f->checked = ret == 0 && f->parts.count;
	return ret < 0 ? ret : 0;
}
