#include "name/kallsyms.h"

#include "base/array.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Far more than any kernel has: it also bounds what is read. */
#define SYMBOLS_MAX (4u << 20)
#define FILE_SIZE_MAX (512u << 20)
/* The kernel gives about a page at a time. */
#define READ_SIZE (64u << 10)
/* Room for a kernel of usual size: memory that is not touched costs nothing, to grow does. */
#define SYMBOLS_USUAL (192u << 10)
#define NAMES_USUAL (6u << 20)

struct kallsym {
	uint64_t address;
	uint32_t name, module; /* offsets into text; module 0 = the kernel proper */
	bool global;
};

struct kallsyms {
	ARRAY(struct kallsym) symbols; /* by address, the preferred one only */
	struct text text;	       /* "" and then all names, each with its NUL */
};

static uint32_t keep(struct kallsyms *k, const char *from, size_t length)
{
	uint32_t at = k->text.size;

	text_add_part(&k->text, from, length);
	text_add_char(&k->text, 0);
	return at;
}

/* What was seen: lines with addresses, lines whose address is 0. */
struct lines {
	bool shown, hidden;
};

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A module's functions follow each other: its name is kept once for a run. */
static uint32_t keep_module(struct kallsyms *k, const char *at, const char *end)
{
	const char *bracket = memchr(at, '[', end - at), *close;
	uint32_t before;

	if (!bracket)
		return 0;
	bracket++;
	close = memchr(bracket, ']', end - bracket);
	if (!close || close == bracket)
		return 0;
	before = k->symbols.count ? k->symbols.at[k->symbols.count - 1].module : 0;
	if (before && !strncmp(k->text.bytes + before, bracket, close - bracket) &&
	    !k->text.bytes[before + (close - bracket)])
		return before;
	return keep(k, bracket, close - bracket);
}

/* "ffffffff81000000 T _text", "ffffffffc0201000 t nft_do_chain\t[nf_tables]".
 * Says whether the line has an address other than 0. */
static bool add_line(struct kallsyms *k, const char *line, const char *end)
{
	struct kallsym s = { 0 };
	const char *at = line, *name_end;

	for (; at < end && digit(*at) >= 0 && at - line < 16; at++)
		s.address = s.address << 4 | digit(*at);
	if (at == line || end - at < 4 || at[0] != ' ' || at[2] != ' ' || !s.address)
		return false;
	if (!strchr("tTwW", at[1]) || k->symbols.count >= SYMBOLS_MAX)
		return true;
	s.global = at[1] == 'T';
	at += 3;
	for (name_end = at; name_end < end && *name_end != '\t' && *name_end != ' ';)
		name_end++;
	if (name_end == at)
		return true;
	s.module = keep_module(k, name_end, end);
	s.name = keep(k, at, name_end - at);
	array_push(&k->symbols, s);
	return true;
}

static void note_line(struct kallsyms *k, const char *line, const char *end, struct lines *seen)
{
	if (add_line(k, line, end))
		seen->shown = true;
	else
		seen->hidden = true;
}

/* Adds the whole lines of a part: how many bytes they are. */
static size_t add_lines(struct kallsyms *k, const char *at, size_t size, struct lines *seen)
{
	const char *start = at, *end = at + size, *stop;

	while (at < end && (stop = memchr(at, '\n', end - at))) {
		note_line(k, at, stop, seen);
		at = stop + 1;
	}
	return at - start;
}

/* Line by line as they are read: the whole text, three times what is kept of it, is never
 * in memory.  A line that is longer than the buffer ends what is read. */
static int read_lines(struct kallsyms *k, const char *path, struct lines *seen,
		      struct error *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	AUTO_FREE char *part = mem_alloc(READ_SIZE);
	size_t held = 0, total = 0, done;
	ssize_t n;

	if (fd < 0)
		return error_set(err, errno, "cannot read the kernel's symbols from '%s': %s",
				 path, strerror(errno));
	while (held < READ_SIZE && total < FILE_SIZE_MAX &&
	       (n = read(fd, part + held, READ_SIZE - held))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set(err, errno,
					 "cannot read the kernel's symbols from '%s': %s", path,
					 strerror(errno));
		total += n;
		done = add_lines(k, part, held + n, seen);
		held += n - done;
		memmove(part, part + done, held);
	}
	if (held)
		note_line(k, part, part + held, seen);
	return 0;
}

/* As for files: global first, then without leading underscores, then shorter. */
static int compare(const void *a, const void *b, void *text)
{
	const struct kallsym *x = a, *y = b;
	const char *p, *q;
	size_t n, m;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->global != y->global)
		return x->global ? -1 : 1;
	p = (const char *)text + x->name;
	q = (const char *)text + y->name;
	n = strspn(p, "_");
	m = strspn(q, "_");
	if (n != m)
		return n < m ? -1 : 1;
	n = strlen(p);
	m = strlen(q);
	return n != m ? (n < m ? -1 : 1) : strcmp(p, q);
}

static void sort(struct kallsyms *k)
{
	uint32_t kept = 0;

	qsort_r(k->symbols.at, k->symbols.count, sizeof(*k->symbols.at), compare,
		k->text.bytes);
	for (uint32_t i = 0; i < k->symbols.count; i++)
		if (!kept || k->symbols.at[kept - 1].address != k->symbols.at[i].address)
			k->symbols.at[kept++] = k->symbols.at[i];
	k->symbols.count = kept;
}

static int nothing_read(const char *path, bool hidden, struct error *err)
{
	AUTO_CLOSE int fd = open("/proc/sys/kernel/kptr_restrict", O_RDONLY | O_CLOEXEC);
	char value[8] = "?";
	ssize_t n = fd < 0 ? 0 : read(fd, value, sizeof(value) - 1);

	if (!hidden)
		return error_set(err, EINVAL, "'%s' names no function of the kernel", path);
	value[n > 0 ? n : 1] = 0;
	value[strcspn(value, "\n")] = 0;
	return error_set(
		err, EPERM,
		"the kernel hides its addresses (kernel.kptr_restrict is %s): run sonde "
		"as root or with CAP_SYSLOG%s",
		value, value[0] == '2' ? ", after 'sysctl kernel.kptr_restrict=1'" : "");
}

int kallsyms_load(const char *path, struct kallsyms **ret, struct error *err)
{
	struct kallsyms *k = NEW(struct kallsyms);
	struct lines seen = { 0 };
	int r;

	array_reserve(&k->symbols, SYMBOLS_USUAL);
	text_reserve(&k->text, NAMES_USUAL);
	keep(k, "", 0);
	r = read_lines(k, path, &seen, err);
	if (!r && !k->symbols.count)
		r = nothing_read(path, seen.hidden && !seen.shown, err);
	if (r) {
		kallsyms_free(k);
		return r;
	}
	sort(k);
	*ret = k;
	return 0;
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	array_done(&k->symbols);
	text_done(&k->text);
	free(k);
}

uint32_t kallsyms_count(const struct kallsyms *k)
{
	return k->symbols.count;
}

const char *kallsyms_find(const struct kallsyms *k, uint64_t address, uint64_t *ret_start,
			  uint64_t *ret_length, const char **ret_module)
{
	uint32_t low = 0, high = k->symbols.count;
	const struct kallsym *s;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (k->symbols.at[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	s = &k->symbols.at[low - 1];
	*ret_length = KALLSYMS_SIZE_MAX;
	if (low < k->symbols.count && s[1].address - s->address < KALLSYMS_SIZE_MAX)
		*ret_length = s[1].address - s->address;
	if (address - s->address >= *ret_length)
		return NULL;
	*ret_start = s->address;
	*ret_module = k->text.bytes + s->module;
	return k->text.bytes + s->name;
}
