#include "probe/place.h"

#include "base/array.h"
#include "base/mem.h"
#include "base/text.h"
#include "elf/symtab.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define PLACE_MAX 4096

/* Kinds of events that are no function. */
static const struct {
	const char *prefix, *what;
} later_kinds[] = {
	{ "tp:", "tracepoints" },	   { "tracepoint:", "tracepoints" },
	{ "t:", "tracepoints" },	   { "usdt:", "USDT probes" },
	{ "kprobe:", "kernel functions" }, { "kretprobe:", "kernel functions" },
	{ "kfunc:", "kernel functions" },  { "fentry:", "kernel functions" },
};

static const char *const neighbour_prefixes[] = { "uprobe:", "uretprobe:", "p:", "r:" };

static int not_yet(const char *text, const char *what, struct error *err)
{
	return error_set(err, ENOTSUP,
			 "'%.200s': %s are not in this version yet (places are functions: "
			 "FUNC, IMAGE:FUNC, FUNC+OFF)",
			 text, what);
}

/* The last single colon outside of brackets that is not half of "::"; NULL. */
static const char *find_colon(const char *s)
{
	const char *found = NULL;
	int depth = 0;

	for (; *s; s++) {
		if (*s == '(' || *s == '[')
			depth++;
		else if ((*s == ')' || *s == ']') && depth)
			depth--;
		else if (*s == ':' && s[1] == ':')
			s++;
		else if (*s == ':' && !depth)
			found = s;
	}
	return found;
}

static bool is_digits(const char *s)
{
	if (!*s)
		return false;
	while (isdigit((unsigned char)*s))
		s++;
	return !*s;
}

/* "A..B", but not a path with "../" and not "operator..." */
static bool is_range(const char *s)
{
	const char *dots = strstr(s, "..");

	return dots && dots > s && dots[2] && dots[2] != '/' && dots[2] != '.' &&
	       dots[-1] != '/';
}

static int check_later(const char *text, struct error *err)
{
	const char *at = strrchr(text, '@'), *colon;

	for (unsigned i = 0; i < COUNT_OF(later_kinds); i++)
		if (text_starts(text, later_kinds[i].prefix))
			return not_yet(text, later_kinds[i].what, err);
	if (is_range(text))
		return not_yet(text, "stretches from one place to another", err);
	colon = find_colon(text);
	if (at && colon && colon > at)
		return not_yet(text, "calls made on a line", err);
	if (colon && is_digits(colon + 1))
		return not_yet(text, "lines", err);
	return 0;
}

/* "uprobe:PATH:f" -> "PATH:f"; only when an image follows, as p and r are also
 * names of images. */
static const char *skip_neighbour(const char *text)
{
	for (unsigned i = 0; i < COUNT_OF(neighbour_prefixes); i++) {
		const char *prefix = neighbour_prefixes[i];

		if (text_starts(text, prefix) && find_colon(text + strlen(prefix)))
			return text + strlen(prefix);
	}
	return text;
}

/* The '+' of FUNC+OFF, NULL if the text does not end that way. */
static char *find_offset(char *name, uint64_t *ret)
{
	char *plus = strrchr(name, '+');

	if (!plus || plus == name || text_ends(name, "operator+"))
		return NULL;
	return text_to_u64(plus + 1, ret) ? plus : NULL;
}

/* The '(' of the parameters at the end; not that of "operator()" or of
 * "(anonymous namespace)". */
static char *find_parameters(char *name)
{
	size_t length = strlen(name);
	int depth = 0;

	if (text_ends(name, " const"))
		length -= strlen(" const");
	if (!length || name[length - 1] != ')')
		return NULL;
	for (size_t i = length; i-- > 1;) {
		depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
		if (depth)
			continue;
		if (i >= 8 && !memcmp(name + i - 8, "operator", 8) && length - i == 2)
			return NULL;
		return text_starts(name + i, "(anonymous") ? NULL : name + i;
	}
	return NULL;
}

/* The '*' and '[' of "operator*", "operator[]" do not make a pattern; one before
 * the operator's name does. */
static bool holds_glob(const char *name)
{
	const char *op = strstr(name, "operator");

	if (!text_is_glob(name))
		return false;
	if (!op || (op != name && op[-1] != ':') || !ispunct((unsigned char)op[8]))
		return true;
	return strcspn(name, "*?[") < (size_t)(op - name);
}

static int parse_function(char *name, struct place *p, struct error *err)
{
	size_t length;
	char *cut;

	if (text_ends(name, "%return"))
		name[strlen(name) - strlen("%return")] = 0;
	length = strlen(name);
	if (length >= 2 && name[0] == '/' && name[length - 1] == '/') {
		p->kind = PLACE_REGEX;
		p->name = mem_text_part(name + 1, length - 2);
		return length > 2 ? 0
				  : error_set(err, EINVAL,
					      "'%.200s': empty regular "
					      "expression",
					      p->text);
	}
	cut = find_offset(name, &p->offset);
	if (cut) {
		p->has_offset = true;
		*cut = 0;
	}
	if (symbol_made_name(name))
		name[symbol_made_name(name)] = 0;
	if (name[0] == '=') {
		p->kind = PLACE_SYMBOL;
		name++;
	} else {
		cut = find_parameters(name);
		if (cut) {
			p->parameters = mem_text(cut);
			*cut = 0;
		}
		p->glob = holds_glob(name);
	}
	if (!*name)
		return error_set(err, EINVAL, "'%.200s': the name of a function is missing",
				 p->text);
	if (p->glob && p->has_offset)
		return error_set(err, EINVAL,
				 "'%.200s': an offset needs one function, not a pattern",
				 p->text);
	p->name = mem_text(name);
	return 0;
}

static int parse(char *at, struct place *p, struct error *err)
{
	size_t length = strlen(at);
	char *colon;
	int ret;

	/* A regular expression may hold colons. */
	if (length > 2 && at[0] == '/' && at[length - 1] == '/')
		return parse_function(at, p, err);
	colon = strstr(at, ":/");
	if (!colon || at[length - 1] != '/')
		colon = (char *)find_colon(at);
	if (!colon)
		return parse_function(at, p, err);
	if (colon == at)
		return error_set(err, EINVAL, "'%.200s': the image before ':' is missing",
				 p->text);
	p->image = mem_text_part(at, colon - at);
	if (!text_starts(colon + 1, "0x"))
		return parse_function(colon + 1, p, err);
	p->kind = PLACE_ADDRESS;
	ret = text_to_u64(colon + 1, &p->offset);
	if (!ret)
		return error_set(err, EINVAL, "'%.200s': '%.100s' is no address", p->text,
				 colon + 1);
	return 0;
}

int place_parse(const char *text, struct place *ret, struct error *err)
{
	struct place p = { 0 };
	AUTO_FREE char *copy = NULL;
	int failed;

	if (!*text)
		return error_set(err, EINVAL, "a place is empty: FUNC, IMAGE:FUNC or FUNC+OFF");
	if (strlen(text) > PLACE_MAX)
		return error_set(err, EINVAL, "a place is longer than %d bytes", PLACE_MAX);
	failed = check_later(text, err);
	if (failed)
		return failed;
	p.text = mem_text(text);
	copy = mem_text(skip_neighbour(text));
	failed = parse(copy, &p, err);
	if (failed) {
		place_done(&p);
		return failed;
	}
	*ret = p;
	return 0;
}

void place_done(struct place *p)
{
	free(p->text);
	free(p->image);
	free(p->name);
	free(p->parameters);
	*p = (struct place){ 0 };
}

/* Is it "libz.so.1" of libz.so.1.2.13, the name that programs ask for it by? */
static bool is_shorter_version(const char *image, const char *base, const char *so)
{
	char name[256];
	size_t length = strlen(base);

	if (length >= sizeof(name))
		return false;
	memcpy(name, base, length + 1);
	while (length > (size_t)(so - base) + strlen(".so")) {
		if (name[--length] != '.')
			continue;
		name[length] = 0;
		if (text_glob(image, name))
			return true;
	}
	return false;
}

bool place_is_image(const char *image, const char *path)
{
	const char *base = strrchr(path, '/'), *so;
	char name[256];
	size_t length;

	base = base ? base + 1 : path;
	if (strchr(image, '/'))
		return text_glob(image, path);
	if (text_glob(image, base))
		return true;
	so = strstr(base, ".so");
	if (so && is_shorter_version(image, base, so))
		return true;
	length = so ? (size_t)(so - base) : strlen(base);
	if (length >= sizeof(name))
		return false;
	memcpy(name, base, length);
	name[length] = 0;
	if (text_glob(image, name))
		return true;
	if (!so || !text_starts(name, "lib"))
		return false;
	if (text_glob(image, name + 3))
		return true;
	/* libc-2.31.so is c */
	length = strcspn(name, "-");
	if (!name[length] || !isdigit((unsigned char)name[length + 1]))
		return false;
	name[length] = 0;
	return text_glob(image, name + 3);
}
