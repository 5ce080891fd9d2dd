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
#define READ_SIZE (1u << 20)

struct kallsym {
	uint64_t address;
	uint32_t name, module; /* offsets into text; module 0 = the kernel proper */
	bool global;
};

struct kallsyms {
	ARRAY(struct kallsym) symbols; /* by address, the preferred one only */
	struct text text;	       /* "" and then all names, each with its NUL */
};

static int read_text(const char *path, struct text *ret, struct error *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	AUTO_FREE char *part = mem_alloc(READ_SIZE);
	ssize_t n;

	if (fd < 0)
		return error_set(err, errno, "cannot read the kernel's symbols from '%s': %s",
				 path, strerror(errno));
	while ((n = read(fd, part, READ_SIZE)) && ret->size < FILE_SIZE_MAX) {
		if (n > 0)
			text_add_part(ret, part, n);
		else if (errno != EINTR)
			return error_set(err, errno,
					 "cannot read the kernel's symbols from '%s': %s", path,
					 strerror(errno));
	}
	return 0;
}

static uint32_t keep(struct kallsyms *k, const char *from, size_t length)
{
	uint32_t at = k->text.size;

	text_add_part(&k->text, from, length);
	text_add_char(&k->text, 0);
	return at;
}

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
	AUTO_TEXT struct text lines = { 0 };
	bool hidden = false, shown = false;
	const char *at, *end;
	struct kallsyms *k;
	int r = read_text(path, &lines, err);

	if (r)
		return r;
	k = NEW(struct kallsyms);
	keep(k, "", 0);
	end = text_string(&lines) + lines.size;
	for (at = text_string(&lines); at < end;) {
		const char *stop = memchr(at, '\n', end - at);

		stop = stop ? stop : end;
		if (add_line(k, at, stop))
			shown = true;
		else
			hidden = true;
		at = stop + 1;
	}
	if (k->symbols.count) {
		sort(k);
		*ret = k;
		return 0;
	}
	kallsyms_free(k);
	return nothing_read(path, hidden && !shown, err);
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
