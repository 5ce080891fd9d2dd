#include "model/comparison.h"

#include "base/mem.h"

#include <errno.h>

/* Names of the language that later versions know. */
static bool name_is_later(const char *name, size_t length)
{
	static const char *const later[] = { "ret", "end", "depth", "comm", "cpu_id",
					     "hit", "str", "size",  "pid" };

	for (unsigned i = 0; i < COUNT_OF(later); i++) {
		if (strlen(later[i]) == length && strncmp(later[i], name, length) == 0)
			return true;
	}
	return length > 3 && strncmp(name, "arg", 3) == 0 &&
	       strspn(name + 3, "0123456789") >= length - 3;
}

static int unknown_name(const struct parser *p, size_t at, size_t length)
{
	const char *name = p->e->text + at;

	if (name_is_later(name, length))
		return token_error(p->e->text, at, p->err,
				   "'%.*s' is not known yet in this version "
				   "(known are: dur, cpu, off, runnable, blocked, PLACE.dur, "
				   "tid, thread, p50 .. p99.9)",
				   (int)length, name);
	return token_error(
		p->e->text, at, p->err,
		"unknown name '%.*s' (known are: dur, cpu, off, runnable, blocked, "
		"PLACE.dur, tid, thread, p50 .. p99.9; values of the program are not known yet)",
		(int)length, name);
}

static bool find_time(const char *name, size_t length, enum expression_subject *ret)
{
	static const char *const times[] = { [SUBJECT_DUR] = "dur",
					     [SUBJECT_CPU] = "cpu",
					     [SUBJECT_OFF] = "off",
					     [SUBJECT_RUNNABLE] = "runnable",
					     [SUBJECT_BLOCKED] = "blocked" };

	for (unsigned i = 0; i < COUNT_OF(times); i++) {
		if (strlen(times[i]) != length || strncmp(times[i], name, length) != 0)
			continue;
		*ret = i;
		return true;
	}
	return false;
}

/* Behind a quoted place. */
static int parse_quoted(struct parser *p, struct expression_node *node, size_t at)
{
	const char *name;

	if (parser_advance(p))
		return -EINVAL;
	name = parser_here(p);
	if (p->token.kind != TOKEN_WORD || *name != '.' ||
	    !find_time(name + 1, p->token.length - 1, &node->subject))
		return token_error(p->e->text, at, p->err,
				   "a text stands behind 'thread ~', "
				   "or before '.dur' as the name of a place");
	return parser_advance(p);
}

/* "dur", "handle.off", the ".dur" behind a quoted place. */
static int parse_subject(struct parser *p, struct expression_node *node)
{
	size_t at = p->token.at, length = p->token.length, dot;
	const char *name = p->e->text + at;

	node->at = at;
	if (p->token.kind == TOKEN_STRING) {
		node->place = mem_text_part(name, length);
		return parse_quoted(p, node, at);
	}
	for (dot = length; dot > 0 && name[dot - 1] != '.'; dot--)
		;
	if (dot > 1 && find_time(name + dot, length - dot, &node->subject))
		node->place = mem_text_part(name, dot - 1);
	else if (dot > 1 && name_is_later(name + dot, length - dot))
		return unknown_name(p, at + dot, length - dot);
	else if (token_is(p, "tid"))
		node->subject = SUBJECT_TID;
	else if (token_is(p, "thread"))
		node->subject = SUBJECT_THREAD;
	else if (!find_time(name, length, &node->subject))
		return unknown_name(p, at, length);
	return parser_advance(p);
}

static bool token_is_value(const struct parser *p)
{
	return p->token.kind == TOKEN_NUMBER || p->token.kind == TOKEN_PERCENTILE;
}

/* Checks that token t can be compared with the subject. */
static int check_value(const struct parser *p, const struct token *t,
		       enum expression_subject subject, struct expression_value *ret)
{
	const char *text = p->e->text;

	if (subject == SUBJECT_THREAD)
		return token_error(text, t->at, p->err,
				   "a thread's name is compared with a text: thread ~ \"io*\"");
	*ret = (struct expression_value){ t->kind == TOKEN_PERCENTILE, t->number };
	if (ret->percentile && !subject_is_time(subject))
		return token_error(text, t->at, p->err, "percentiles are of times only");
	if (ret->percentile && (t->number <= 0 || t->number >= 100))
		return token_error(text, t->at, p->err,
				   "a percentile is more than 0 and less than 100");
	if (!ret->percentile && subject_is_time(subject) && t->unit != UNIT_TIME &&
	    t->number != 0)
		return token_error(text, t->at, p->err, "a duration has a unit: 10us, 5ms, 2s");
	if (!ret->percentile && subject == SUBJECT_TID && t->unit != UNIT_NONE)
		return token_error(text, t->at, p->err, "a thread id is a plain number");
	return 0;
}

static int parse_value(struct parser *p, enum expression_subject subject,
		       struct expression_value *ret)
{
	struct token t = p->token;

	if (!token_is_value(p))
		return token_error(p->e->text, t.at, p->err, "%s is expected here",
				   subject_is_time(subject) ? "a duration as 5ms, or p95,"
							    : "a number");
	if (check_value(p, &t, subject, ret))
		return -EINVAL;
	return parser_advance(p);
}

static bool parse_op(enum token_kind kind, enum expression_op *ret,
		     enum expression_op *ret_turned)
{
	static const struct {
		enum token_kind kind;
		enum expression_op op, turned; /* turned: with the sides exchanged */
	} ops[] = {
		{ TOKEN_EQ, OP_EQ, OP_EQ }, { TOKEN_NE, OP_NE, OP_NE },
		{ TOKEN_LT, OP_LT, OP_GT }, { TOKEN_LE, OP_LE, OP_GE },
		{ TOKEN_GT, OP_GT, OP_LT }, { TOKEN_GE, OP_GE, OP_LE },
	};

	for (unsigned i = 0; i < COUNT_OF(ops); i++) {
		if (ops[i].kind != kind)
			continue;
		*ret = ops[i].op;
		*ret_turned = ops[i].turned;
		return true;
	}
	return false;
}

/* 5ms < dur */
static int parse_turned(struct parser *p, struct expression_node *node)
{
	struct token value = p->token;
	enum expression_op plain;

	if (parser_advance(p))
		return -EINVAL;
	if (!parse_op(p->token.kind, &plain, &node->op))
		return token_error(p->e->text, p->token.at, p->err,
				   "a comparison is expected here: == != < <= > >=");
	if (parser_advance(p))
		return -EINVAL;
	if (p->token.kind != TOKEN_WORD && p->token.kind != TOKEN_STRING)
		return token_error(p->e->text, p->token.at, p->err,
				   "a name is expected here: dur, off, PLACE.dur, tid");
	if (parse_subject(p, node))
		return -EINVAL;
	return check_value(p, &value, node->subject, &node->low);
}

static int parse_thread(struct parser *p, struct expression_node *node)
{
	enum expression_op turned;

	if (p->token.kind == TOKEN_MATCH)
		node->op = OP_MATCH;
	else if (!parse_op(p->token.kind, &node->op, &turned) || node->op > OP_NE)
		return token_error(p->e->text, p->token.at, p->err,
				   "a thread's name is compared by ~ == or !=");
	if (parser_advance(p))
		return -EINVAL;
	if (p->token.kind != TOKEN_STRING)
		return token_error(p->e->text, p->token.at, p->err,
				   "a text in quotes is expected here: thread ~ \"io*\"");
	node->string = mem_text_part(parser_here(p), p->token.length);
	return parser_advance(p);
}

static int parse_range(struct parser *p, struct expression_node *node)
{
	size_t at;

	node->op = OP_IN;
	if (parser_advance(p))
		return -EINVAL;
	at = p->token.at;
	if (parse_value(p, node->subject, &node->low))
		return -EINVAL;
	if (p->token.kind != TOKEN_TO)
		return token_error(p->e->text, p->token.at, p->err,
				   "a range is written with two dots: in 5ms..9ms");
	if (parser_advance(p) || parse_value(p, node->subject, &node->high))
		return -EINVAL;
	if (node->low.percentile == node->high.percentile &&
	    node->low.number > node->high.number)
		return token_error(p->e->text, at, p->err, "the range ends before it begins");
	return 0;
}

int comparison_parse(struct parser *p, struct expression_node *node)
{
	enum expression_op turned;

	if (token_is_value(p))
		return parse_turned(p, node);
	if (p->token.kind != TOKEN_WORD && p->token.kind != TOKEN_STRING)
		return token_error(p->e->text, p->token.at, p->err,
				   "a comparison is expected here, as dur > 5ms");
	if (parse_subject(p, node))
		return -EINVAL;
	if (node->subject == SUBJECT_THREAD)
		return parse_thread(p, node);
	if (token_is(p, "in"))
		return parse_range(p, node);
	if (!parse_op(p->token.kind, &node->op, &turned))
		return token_error(p->e->text, p->token.at, p->err,
				   "a comparison is expected here: == != < <= > >= in");
	if (parser_advance(p))
		return -EINVAL;
	return parse_value(p, node->subject, &node->low);
}
