#include "base/option_value.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Longer durations than 31 years are slips, and would not fit nsec for ever. */
#define DURATION_MOST 1e18

static bool in_bounds(const struct option_spec *spec, double v)
{
	return (!spec->least && !spec->most) ||
	       (v >= spec->least && (!spec->most || v <= spec->most));
}

static bool parse_int(const struct option_spec *spec, const char *value, void *member)
{
	uint64_t v;
	bool minus = value[0] == '-';

	if (!text_to_u64(value + minus, &v) || v > INT64_MAX)
		return false;
	*(int64_t *)member = minus ? -(int64_t)v : (int64_t)v;
	return in_bounds(spec, *(int64_t *)member);
}

static bool parse_unsigned(const struct option_spec *spec, const char *value, void *member)
{
	return text_to_u64(value, member) && in_bounds(spec, *(uint64_t *)member);
}

static bool parse_numbers(const struct option_spec *spec, const char *value, void *member)
{
	struct option_numbers *numbers = member;
	char one[24];
	uint64_t v;

	for (;; value++) {
		size_t length = strcspn(value, ",");

		if (length >= sizeof(one))
			return false;
		memcpy(one, value, length);
		one[length] = 0;
		if (!text_to_u64(one, &v) || v > UINT32_MAX || !in_bounds(spec, v))
			return false;
		array_push(numbers, v);
		value += length;
		if (!*value)
			return true;
	}
}

static bool parse_double(const struct option_spec *spec, const char *value, void *member)
{
	char *end;
	double v = strtod(value, &end);

	if (end == value || *end || !isfinite(v))
		return false;
	*(double *)member = v;
	return in_bounds(spec, v);
}

static bool parse_share(const struct option_spec *spec, const char *value, void *member)
{
	const char *end;
	enum text_unit unit;
	double v;

	if (!text_to_quantity(value, &end, &v, &unit) || *end)
		return false;
	if (unit != UNIT_NONE && unit != UNIT_PERCENT)
		return false;
	*(double *)member = v;
	return in_bounds(spec, v);
}

static bool parse_duration(const struct option_spec *spec, const char *value, void *member)
{
	const char *end;
	enum text_unit unit;
	double v;

	if (!text_to_quantity(value, &end, &v, &unit) || *end)
		return false;
	if (unit == UNIT_NONE)
		v *= NSEC_PER_SEC;
	else if (unit != UNIT_TIME)
		return false;
	if (v > DURATION_MOST)
		return false;
	*(nsec *)member = v;
	return in_bounds(spec, v);
}

static bool parse_text(const struct option_spec *spec, const char *value, void *member)
{
	*(const char **)member = value;
	return *value;
}

static bool parse_texts(const struct option_spec *spec, const char *value, void *member)
{
	struct option_texts *texts = member;

	array_push(texts, value);
	return *value;
}

static bool parse_choice(const struct option_spec *spec, const char *value, void *member)
{
	const char *at = spec->argument;

	for (unsigned i = 1;; i++) {
		size_t length = strcspn(at, "|");

		if (strncmp(at, value, length) == 0 && !value[length]) {
			*(unsigned *)member = i;
			return true;
		}
		if (!at[length])
			return false;
		at += length + 1;
	}
}

static bool set_flag(const struct option_spec *spec, const char *value, void *member)
{
	*(bool *)member = true;
	return true;
}

static bool count_up(const struct option_spec *spec, const char *value, void *member)
{
	++*(unsigned *)member;
	return true;
}

static const struct kind {
	bool takes_value;
	bool (*parse)(const struct option_spec *spec, const char *value, void *member);
	const char *wants; /* in "option '-d' wants ..., not 'x'" */
} kinds[] = {
	[OPTION_FLAG] = { false, set_flag, "" },
	[OPTION_STOP] = { false, set_flag, "" },
	[OPTION_COUNT] = { false, count_up, "" },
	[OPTION_INT] = { true, parse_int, "a whole number" },
	[OPTION_UNSIGNED] = { true, parse_unsigned, "a whole number" },
	[OPTION_NUMBERS] = { true, parse_numbers, "whole numbers with ',' between them" },
	[OPTION_DOUBLE] = { true, parse_double, "a number" },
	[OPTION_SHARE] = { true, parse_share, "a share like 2%" },
	[OPTION_DURATION] = { true, parse_duration, "a time like 10 (seconds), 500ms or 2min" },
	[OPTION_TEXT] = { true, parse_text, "a text that is not empty" },
	[OPTION_TEXTS] = { true, parse_texts, "a text that is not empty" },
	[OPTION_CHOICE] = { true, parse_choice, "one of" },
};

static void add_bound(const struct option_spec *spec, double bound, struct text *to)
{
	char buf[TEXT_QUANTITY];

	if (spec->kind == OPTION_DURATION)
		text_add(to, text_duration(buf, bound));
	else if (spec->kind == OPTION_SHARE)
		text_format(to, "%g%%", bound * 100);
	else
		text_format(to, "%.15g", bound);
}

static int value_refuse(const struct option_spec *spec, const char *written, const char *value,
			struct error *err)
{
	AUTO_TEXT struct text wants = { 0 };

	text_add(&wants, kinds[spec->kind].wants);
	if (spec->kind == OPTION_CHOICE)
		text_format(&wants, " %s", spec->argument);
	if (spec->least || spec->most) {
		text_add(&wants, spec->most ? " from " : " of at least ");
		add_bound(spec, spec->least, &wants);
	}
	if (spec->most) {
		text_add(&wants, " to ");
		add_bound(spec, spec->most, &wants);
	}
	return error_set(err, EINVAL, "option '%s' wants %s, not '%s'", written,
			 text_string(&wants), value);
}

bool value_is_taken(const struct option_spec *spec)
{
	return kinds[spec->kind].takes_value;
}

int value_parse(const struct option_spec *spec, const char *written, const char *value,
		void *options, struct error *err)
{
	if (kinds[spec->kind].parse(spec, value, (char *)options + spec->offset))
		return 0;
	return value_refuse(spec, written, value, err);
}
