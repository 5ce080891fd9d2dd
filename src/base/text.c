#include "base/text.h"

#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ROUGH_DECIMALS 9

void text_done(struct text *t)
{
	free(t->bytes);
	*t = (struct text){ 0 };
}

void text_clear(struct text *t)
{
	t->size = 0;
	if (t->bytes)
		t->bytes[0] = 0;
}

void text_cut(struct text *t, size_t size)
{
	if (size < t->size)
		t->bytes[t->size = size] = 0;
}

void text_reserve(struct text *t, size_t more)
{
	size_t need = t->size + more + 1;

	if (need <= t->room)
		return;
	t->room = need < 64 ? 64 : need + need / 2;
	t->bytes = mem_resize(t->bytes, t->room, 1);
}

void text_add_part(struct text *t, const char *s, size_t length)
{
	text_reserve(t, length);
	memcpy(t->bytes + t->size, s, length);
	t->size += length;
	t->bytes[t->size] = 0;
}

void text_add(struct text *t, const char *s)
{
	text_add_part(t, s, strlen(s));
}

void text_add_char(struct text *t, char c)
{
	text_add_part(t, &c, 1);
}

void text_format(struct text *t, const char *format, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, format);
	va_copy(again, ap);
	text_reserve(t, 64);
	n = vsnprintf(t->bytes + t->size, t->room - t->size, format, ap);
	if (n > 0 && (size_t)n >= t->room - t->size) {
		text_reserve(t, n);
		vsnprintf(t->bytes + t->size, t->room - t->size, format, again);
	}
	if (n > 0)
		t->size += n;
	va_end(again);
	va_end(ap);
}

const char *text_string(const struct text *t)
{
	return t->bytes ? t->bytes : "";
}

unsigned text_utf8(const unsigned char *s, uint32_t *ret_code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned n = s[0] < 0x80   ? 1
		     : s[0] < 0xc2 ? 0
		     : s[0] < 0xe0 ? 2
		     : s[0] < 0xf0 ? 3
		     : s[0] < 0xf5 ? 4
				   : 0;
	uint32_t code = n == 1 ? s[0] : s[0] & (0x7f >> n);

	for (unsigned i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (n && (code < least[n] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff))
		return 0;
	*ret_code = code;
	return n;
}

bool text_is_plain(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return false;
	/* marks that reorder or hide what follows */
	return !(c >= 0x200b && c <= 0x200f) && !(c >= 0x2028 && c <= 0x202e) &&
	       !(c >= 0x2066 && c <= 0x2069) && c != 0xfeff;
}

void text_add_plain(struct text *t, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	uint32_t code = 0;

	while (*p) {
		unsigned n = text_utf8(p, &code);

		if (n && text_is_plain(code))
			text_add_part(t, (const char *)p, n);
		else
			text_add_char(t, '?');
		p += n ? n : 1;
	}
}

/* Three significant digits, never in exponent form. */
static void format_significant(char *buf, size_t size, double v, const char *unit)
{
	int decimals = v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2;

	snprintf(buf, size, "%.*f%s", decimals, v, unit);
}

char *text_duration(char buf[TEXT_QUANTITY], double nsec)
{
	static const struct {
		double least, size;
		const char *unit;
	} units[] = {
		{ 999.5e6, 1e9, " s" },
		{ 999.5e3, 1e6, " ms" },
		{ 999.5, 1e3, " µs" },
	};
	double v = fabs(nsec);
	char *to = buf;

	if (nsec < 0)
		*to++ = '-';
	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (v >= units[i].least) {
			format_significant(to, TEXT_QUANTITY - 1, v / units[i].size,
					   units[i].unit);
			return buf;
		}
	}
	snprintf(to, TEXT_QUANTITY - 1, "%.0f ns", v);
	return buf;
}

char *text_rough(char buf[TEXT_QUANTITY], double v)
{
	int decimals = 0;

	v = fmin(fmax(v, 0), 1e15);
	for (double least = 9.95; v < least && decimals < ROUGH_DECIMALS; least /= 10)
		decimals++;
	snprintf(buf, TEXT_QUANTITY, "%.*f", v > 0 ? decimals : 0, v);
	return buf;
}

char *text_rate(char buf[TEXT_QUANTITY], double per_second)
{
	double v = fmin(fmax(per_second, 0), 1e15);
	const char *unit = "/s";

	if (v >= 999.5e3) {
		v /= 1e6;
		unit = " M/s";
	} else if (v >= 999.5) {
		v /= 1e3;
		unit = " k/s";
	}
	if (v == 0)
		snprintf(buf, TEXT_QUANTITY, "0%s", unit);
	else
		format_significant(buf, TEXT_QUANTITY, v, unit);
	return buf;
}

char *text_count(char buf[TEXT_QUANTITY], uint64_t n)
{
	char digits[TEXT_QUANTITY];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	char *to = buf;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = 0;
	return buf;
}

char *text_size(char buf[TEXT_QUANTITY], uint64_t bytes)
{
	static const char *const units[] = { " B", " KiB", " MiB", " GiB", " TiB" };
	double v = bytes;
	unsigned u = 0;

	while (v >= 1023.5 && u < 4) {
		v /= 1024;
		u++;
	}
	if (u)
		format_significant(buf, TEXT_QUANTITY, v, units[u]);
	else
		snprintf(buf, TEXT_QUANTITY, "%" PRIu64 " B", bytes);
	return buf;
}

bool text_glob(const char *pattern, const char *s)
{
	return fnmatch(pattern, s, 0) == 0;
}

bool text_is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

bool text_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool text_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && strcmp(s + n - m, suffix) == 0;
}

unsigned text_distance(const char *a, const char *b, unsigned limit)
{
	unsigned row[66], n = strlen(a), m = strlen(b);

	if (m > 64 || n > 64 || (n > m ? n - m : m - n) > limit)
		return limit + 1;
	for (unsigned j = 0; j <= m; j++)
		row[j] = j;
	for (unsigned i = 1; i <= n; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= m; j++) {
			unsigned above = row[j];
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);

			best = above + 1 < best ? above + 1 : best;
			row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			diagonal = above;
		}
	}
	return row[m] <= limit ? row[m] : limit + 1;
}

bool text_to_u64(const char *s, uint64_t *ret_value)
{
	char *end;
	uint64_t v;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	v = strtoull(s, &end, s[0] == '0' && (s[1] | 32) == 'x' ? 16 : 10);
	if (errno || *end || end == s)
		return false;
	*ret_value = v;
	return true;
}

bool text_to_quantity(const char *s, const char **ret_end, double *ret_value,
		      enum text_unit *ret_unit)
{
	static const struct {
		const char *suffix;
		double factor;
		enum text_unit unit;
	} units[] = {
		{ "ns", 1, UNIT_TIME },	       { "us", 1e3, UNIT_TIME },
		{ "µs", 1e3, UNIT_TIME },      { "ms", 1e6, UNIT_TIME },
		{ "min", 60e9, UNIT_TIME },    { "s", 1e9, UNIT_TIME },
		{ "h", 3600e9, UNIT_TIME },    { "KiB", 1024, UNIT_SIZE },
		{ "MiB", 1048576, UNIT_SIZE }, { "GiB", 1073741824, UNIT_SIZE },
		{ "%", 0.01, UNIT_PERCENT },
	};
	char *end;
	double v;

	if (!isdigit((unsigned char)s[0]) && s[0] != '.')
		return false;
	v = s[0] == '0' && (s[1] | 32) == 'x' ? (double)strtoull(s, &end, 16) : strtod(s, &end);
	if (end == s || !isfinite(v))
		return false;
	*ret_unit = UNIT_NONE;
	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = strlen(units[i].suffix);
		const char *after = end + n;

		if (strncmp(end, units[i].suffix, n) == 0 && !isalnum((unsigned char)*after) &&
		    *after != '_') {
			*ret_unit = units[i].unit;
			v *= units[i].factor;
			end += n;
			break;
		}
	}
	*ret_value = v;
	*ret_end = end;
	return true;
}
