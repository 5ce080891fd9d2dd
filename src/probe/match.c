#include "probe/match.h"

#include "base/table.h"
#include "elf/demangle.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <string.h>

static const char *const clone_suffixes[] = { ".isra.", ".part.",  ".constprop.", ".cold",
					      ".llvm.", ".clone.", ".localalias" };
#define LTO_SUFFIX ".lto_priv."

/* Does the suffix that begins at this dot come next?  Those without a dot at
 * their end must end there. */
static bool is_suffix(const char *dot, const char *suffix)
{
	size_t length = strlen(suffix);

	if (strncmp(dot, suffix, length))
		return false;
	return suffix[length - 1] == '.' || !dot[length] || dot[length] == '.';
}

static bool is_clone_suffix(const char *dot)
{
	for (unsigned i = 0; i < COUNT_OF(clone_suffixes); i++)
		if (is_suffix(dot, clone_suffixes[i]))
			return true;
	return false;
}

size_t match_base_length(const char *raw)
{
	/* a leading dot is part of a name; suffixes only follow one */
	for (const char *dot = *raw ? strchr(raw + 1, '.') : NULL; dot;
	     dot = strchr(dot + 1, '.'))
		if (text_starts(dot, LTO_SUFFIX) || is_clone_suffix(dot))
			return dot - raw;
	return strlen(raw);
}

bool match_is_clone(const char *raw)
{
	for (const char *dot = raw + match_base_length(raw); dot && *dot;
	     dot = strchr(dot + 1, '.'))
		if (is_clone_suffix(dot))
			return true;
	return false;
}

bool match_is_cold(const char *raw)
{
	for (const char *dot = raw + match_base_length(raw); dot && *dot;
	     dot = strchr(dot + 1, '.'))
		if (is_suffix(dot, ".cold"))
			return true;
	return false;
}

static bool is_mangled(const char *raw)
{
	return raw[0] == '_' && (raw[1] == 'Z' || raw[1] == 'R');
}

static void add_demangled(const char *raw, enum demangle_form form, struct text *to)
{
	size_t length = match_base_length(raw);

	if (!is_mangled(raw)) {
		text_add_part(to, raw, length);
	} else {
		AUTO_FREE char *base = mem_text_part(raw, length);

		demangle(base, form, to);
	}
}

void match_name(const char *raw, struct text *to)
{
	add_demangled(raw, DEMANGLE_NAME, to);
}

void match_full_name(const char *raw, struct text *to)
{
	add_demangled(raw, DEMANGLE_FULL, to);
}

/* Names with an abbreviation of their own (Itanium C++ ABI 5.1.10). */
static const char *const short_names[] = { "std",	    "allocator",     "basic_string",
					   "string",	    "istream",	     "ostream",
					   "iostream",	    "basic_istream", "basic_ostream",
					   "basic_iostream" };

/* A question, prepared once for many symbols. */
struct matcher {
	const struct place *place;
	char core[MATCH_CORE]; /* of every raw name that fits */
	regex_t regex;
	struct text name, full; /* scratch */
};

static bool is_short(const char *run, size_t length)
{
	for (unsigned i = 0; i < COUNT_OF(short_names); i++)
		if (!strncmp(short_names[i], run, length) && !short_names[i][length])
			return true;
	return false;
}

/* Letters in template arguments count for nothing: int is i there. */
void match_core(const char *name, char core[MATCH_CORE])
{
	size_t best = 0, run = 0;

	core[0] = 0;
	if (strstr(name, "operator") || strchr(name, '['))
		return;
	for (size_t i = 0;; i++) {
		if (isalnum((unsigned char)name[i]) || name[i] == '_') {
			run++;
			continue;
		}
		if (run > best && run < MATCH_CORE && !is_short(name + i - run, run)) {
			best = run;
			memcpy(core, name + i - run, run);
			core[run] = 0;
		}
		run = 0;
		if (!name[i] || name[i] == '<' || name[i] == '(')
			return;
	}
}

struct matcher *matcher_new(const struct place *place, struct error *err)
{
	struct matcher *m = NEW(struct matcher);
	char why[128];
	int failed;

	m->place = place;
	if (place->kind == PLACE_FUNC)
		match_core(place->name, m->core);
	if (place->kind != PLACE_REGEX)
		return m;
	failed = regcomp(&m->regex, place->name, REG_EXTENDED | REG_NOSUB);
	if (!failed)
		return m;
	regerror(failed, &m->regex, why, sizeof(why));
	error_set(err, EINVAL, "'%.200s': %s", place->text, why);
	free(m);
	return NULL;
}

void matcher_free(struct matcher *m)
{
	if (m->place->kind == PLACE_REGEX)
		regfree(&m->regex);
	text_done(&m->name);
	text_done(&m->full);
	free(m);
}

/* a and b without regard to spaces; b may go on with " const" and the like. */
static bool same_parameters(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a == ' ')
			a++;
		while (*b == ' ')
			b++;
		if (!*a)
			return !*b || text_starts(b, "const") || *b == '[' || *b == '&';
		if (*a != *b)
			return false;
	}
}

static bool fits_parameters(struct matcher *m, const char *raw)
{
	const char *full, *at;

	if (!m->place->parameters)
		return true;
	text_clear(&m->full);
	match_full_name(raw, &m->full);
	full = text_string(&m->full);
	/* templates have their return type in front */
	at = strstr(full, text_string(&m->name));
	return at && same_parameters(m->place->parameters, at + m->name.size);
}

/* f<int>: the name before the template arguments at the end. */
static bool fits_template(const char *name, const char *asked)
{
	size_t length = strlen(asked);

	return !strncmp(name, asked, length) && name[length] == '<' && text_ends(name, ">");
}

bool matcher_fits(struct matcher *m, const struct symbol *s)
{
	const struct place *p = m->place;
	const char *name;

	if (p->kind == PLACE_SYMBOL)
		return !strcmp(s->raw, p->name);
	if (m->core[0] && !strstr(s->raw, m->core))
		return false;
	text_clear(&m->name);
	match_name(s->raw, &m->name);
	name = text_string(&m->name);
	if (p->kind == PLACE_REGEX)
		return !regexec(&m->regex, name, 0, NULL, 0);
	if (strcmp(name, p->name) && !(p->glob && text_glob(p->name, name)) &&
	    !(!p->glob && is_mangled(s->raw) && fits_template(name, p->name)))
		return false;
	return fits_parameters(m, s->raw);
}

bool match_is_function(const struct symbol *s)
{
	return s->kind != SYMBOL_PLT && !match_is_cold(s->raw);
}

/* m: NULL = every name fits. */
static void match_image(struct matcher *m, struct code *code, uint32_t index,
			struct match_list *ret)
{
	const struct symtab *symbols = code_symbols(&code->at[index]);
	uint32_t count = symbols ? symtab_count(symbols) : 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct symbol *s = symtab_at(symbols, i);
		const struct match *last = ret->count ? &ret->at[ret->count - 1] : NULL;

		if (!match_is_function(s) || (m && !matcher_fits(m, s)))
			continue;
		/* aliases are neighbours in the table */
		if (last && last->image == index && last->symbol->offset == s->offset)
			continue;
		if (ret->count >= MATCHES_MAX) {
			ret->cut = true;
			return;
		}
		array_push(ret, ((struct match){ index, s }));
	}
}

void match_all(struct code *code, uint32_t image, struct match_list *ret)
{
	match_image(NULL, code, image, ret);
}

int match_find(struct code *code, const struct place *place, struct match_list *ret,
	       struct error *err)
{
	struct matcher *m = matcher_new(place, err);

	if (!m)
		return -EINVAL;
	for (uint32_t i = 0; i < code->count; i++)
		if (!place->image || code_is_image(&code->at[i], place->image))
			match_image(m, code, i, ret);
	matcher_free(m);
	return 0;
}
