#include "elf/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/* Longer names are written raw: the parser recurses once a character. */
#define RAW_MAX 4096
/* A short name can stand for an endless one (each type twice the one before). */
#define READABLE_MAX (16u << 10)
/* libiberty keeps an array of (template) x (reference to a template
 * parameter) elements on the stack while it prints. */
#define TEMPLATE_PAIRS_MAX (64u << 10)

struct output {
	struct text *out;
	size_t start;
	jmp_buf too_long;
};

/* libiberty cannot be told to stop; its state is on the stack, so to leave by
 * a jump is safe. */
static void add_output(const char *part, size_t length, void *opaque)
{
	struct output *o = opaque;

	if (o->out->size - o->start + length > READABLE_MAX)
		longjmp(o->too_long, 1);
	if (length) /* part may be NULL then */
		text_add_part(o->out, part, length);
}

static size_t count_char(const char *s, char c)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == c;
	return n;
}

static bool demangle_safe(const char *raw)
{
	return count_char(raw, 'I') * count_char(raw, 'T') <= TEMPLATE_PAIRS_MAX;
}

static bool demangle_mangled(const char *raw, enum demangle_form form, struct text *out)
{
	int options = DMGL_ANSI | (form == DEMANGLE_FULL ? DMGL_PARAMS : 0);
	struct output o = { .out = out, .start = out->size };

	if (!setjmp(o.too_long)) {
		if (rust_demangle_callback(raw, options, add_output, &o))
			return true;
		out->size = o.start;
		/* "_Z..." only: others would be taken for the names of types */
		if (text_starts(raw, "_Z") && demangle_safe(raw) &&
		    cplus_demangle_v3_callback(raw, options | DMGL_NO_RECURSE_LIMIT, add_output,
					       &o))
			return true;
	}
	out->size = o.start;
	return false;
}

/* Where the compiler's suffix (".cold", ".isra.0.part.1", ".llvm.123") starts.
 * Rust's legacy names have dots inside, but end with "17h<hash>E"; C names
 * have none, other languages' do, so there only known words count. */
static size_t suffix_start(const char *raw, bool mangled)
{
	static const char *const words[] = { "cold",	   "isra",     "part",
					     "constprop",  "lto_priv", "llvm",
					     "localalias", "resolver", "clone" };
	const char *at = raw, *hash = NULL;

	if (mangled)
		for (at = raw; (at = strstr(at, "17h")); at += 3)
			if (strspn(at + 3, "0123456789abcdef") == 16 && at[19] == 'E')
				hash = at + 20;
	at = hash ? hash : raw + 1;
	while ((at = strchr(at, '.'))) {
		if (mangled)
			return at - raw;
		for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			size_t n = strlen(words[i]);

			if (!strncmp(at + 1, words[i], n) && (!at[n + 1] || at[n + 1] == '.'))
				return at - raw;
		}
		at++;
	}
	return strlen(raw);
}

/* The raw name without "@VERSION"; what a stub is for keeps its "@plt". */
static void add_split(const char *raw, size_t length, enum demangle_form form, struct text *out)
{
	char name[RAW_MAX + 1];
	bool mangled;
	size_t main;

	memcpy(name, raw, length);
	name[length] = 0;
	mangled = text_starts(name, "_Z") || text_starts(name, "_R");
	main = suffix_start(name, mangled);
	name[main] = 0;
	if (!mangled || !demangle_mangled(name, form, out))
		text_add(out, name);
	if (main < length) {
		text_add(out, " [");
		text_add_part(out, raw + main, length - main);
		text_add_char(out, ']');
	}
}

void demangle(const char *raw, enum demangle_form form, struct text *out)
{
	size_t length = strlen(raw);
	const char *at = length ? memchr(raw + 1, '@', length - 1) : NULL;
	bool stub = length > 4 && !strcmp(raw + length - 4, "@plt");

	if (at)
		length = at - raw;
	if (length > RAW_MAX)
		text_add_part(out, raw, length);
	else if (length)
		add_split(raw, length, form, out);
	if (stub)
		text_add(out, "@plt");
}
