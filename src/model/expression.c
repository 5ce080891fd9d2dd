#include "model/expression.h"

#include "base/mem.h"
#include "model/token.h"

#include <errno.h>
#include <string.h>

struct parser {
	struct expression *e;
	struct token token; /* the next one */
	size_t next;        /* behind it */
	unsigned depth;
	struct error *err;
};

void expression_free(struct expression *e)
{
	if (!e)
		return;
	for (uint32_t i = 0; i < e->nodes.count; i++) {
		free(e->nodes.at[i].place);
		free(e->nodes.at[i].string);
	}
	array_done(&e->nodes);
	free(e->text);
	free(e);
}

static const char *parser_here(const struct parser *p)
{
	return p->e->text + p->token.at;
}

static int parser_advance(struct parser *p)
{
	return token_read(p->e->text, p->next, &p->token, &p->next, p->err);
}

static bool token_is(const struct parser *p, const char *word)
{
	return p->token.kind == TOKEN_WORD && p->token.length == strlen(word) &&
	       strncmp(parser_here(p), word, p->token.length) == 0;
}

static uint32_t parser_node(struct parser *p, struct expression_node node)
{
	array_push(&p->e->nodes, node);
	return p->e->nodes.count - 1;
}

/* Names of the language that later versions know. */
static bool name_is_later(const char *name, size_t length)
{
	static const char *const later[] = { "cpu", "off", "ret", "end", "depth", "comm",
					     "cpu_id", "hit", "str", "size", "pid" };

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
				   "(known are: dur, PLACE.dur, tid, thread, p50 .. p99.9)",
				   (int)length, name);
	return token_error(p->e->text, at, p->err,
			   "unknown name '%.*s' (known are: dur, PLACE.dur, tid, thread, "
			   "p50 .. p99.9; values of the program are not known yet)",
			   (int)length, name);
}

/* "dur", "handle.dur", the ".dur" behind a quoted place. */
static int parse_subject(struct parser *p, struct expression_node *node)
{
	size_t at = p->token.at, length = p->token.length, dot;
	const char *name = p->e->text + at;

	node->at = at;
	if (p->token.kind == TOKEN_STRING) {
		node->place = mem_text_part(name, length);
		if (parser_advance(p))
			return -EINVAL;
		if (!token_is(p, ".dur"))
			return token_error(p->e->text, at, p->err,
					   "a text stands behind 'thread ~', "
					   "or before '.dur' as the name of a place");
		return parser_advance(p);
	}
	for (dot = length; dot > 0 && name[dot - 1] != '.'; dot--)
		;
	if (dot > 1 && length - dot == 3 && strncmp(name + dot, "dur", 3) == 0)
		node->place = mem_text_part(name, dot - 1);
	else if (dot > 1 && name_is_later(name + dot, length - dot))
		return unknown_name(p, at + dot, length - dot);
	else if (token_is(p, "tid"))
		node->subject = SUBJECT_TID;
	else if (token_is(p, "thread"))
		node->subject = SUBJECT_THREAD;
	else if (!token_is(p, "dur"))
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
	if (ret->percentile && subject != SUBJECT_DUR)
		return token_error(text, t->at, p->err, "percentiles are of durations only");
	if (ret->percentile && (t->number <= 0 || t->number >= 100))
		return token_error(text, t->at, p->err,
				   "a percentile is more than 0 and less than 100");
	if (!ret->percentile && subject == SUBJECT_DUR && t->unit != UNIT_TIME && t->number != 0)
		return token_error(text, t->at, p->err,
				   "a duration has a unit: 10us, 5ms, 2s");
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
				   subject == SUBJECT_DUR ? "a duration as 5ms, or p95," :
							    "a number");
	if (check_value(p, &t, subject, ret))
		return -EINVAL;
	return parser_advance(p);
}

static bool parse_op(enum token_kind kind, enum expression_op *ret, enum expression_op *ret_turned)
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
				   "a name is expected here: dur, PLACE.dur, tid");
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
	if (node->low.percentile == node->high.percentile && node->low.number > node->high.number)
		return token_error(p->e->text, at, p->err,
				   "the range ends before it begins");
	return 0;
}

static int parse_compare_into(struct parser *p, struct expression_node *node)
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

static int parse_compare(struct parser *p, uint32_t *ret)
{
	struct expression_node node = { .kind = EXPRESSION_COMPARE };
	int r = parse_compare_into(p, &node);

	*ret = parser_node(p, node); /* also of a broken one: it owns its strings */
	return r;
}

static int parse_or(struct parser *p, uint32_t *ret);

static int parse_parentheses(struct parser *p, uint32_t *ret)
{
	size_t at = p->token.at;

	if (++p->depth > EXPRESSION_DEPTH)
		return token_error(p->e->text, at, p->err, "too many parentheses");
	if (parser_advance(p) || parse_or(p, ret))
		return -EINVAL;
	p->depth--;
	if (p->token.kind != TOKEN_CLOSE)
		return token_error(p->e->text, p->token.at, p->err, "')' is expected here");
	return parser_advance(p);
}

static int parse_not(struct parser *p, uint32_t *ret)
{
	uint32_t inner;

	if (p->token.kind == TOKEN_OPEN)
		return parse_parentheses(p, ret);
	if (p->token.kind != TOKEN_NOT)
		return parse_compare(p, ret);
	if (parser_advance(p))
		return -EINVAL;
	if (p->token.kind != TOKEN_OPEN)
		return token_error(p->e->text, p->token.at, p->err,
				   "'!' stands before parentheses: !(dur > 5ms)");
	if (parse_parentheses(p, &inner))
		return -EINVAL;
	*ret = parser_node(p, (struct expression_node){ .kind = EXPRESSION_NOT, .left = inner });
	return 0;
}

static int parse_and(struct parser *p, uint32_t *ret)
{
	uint32_t left, right;

	if (parse_not(p, &left))
		return -EINVAL;
	while (p->token.kind == TOKEN_AND) {
		if (parser_advance(p) || parse_not(p, &right))
			return -EINVAL;
		left = parser_node(p, (struct expression_node){ .kind = EXPRESSION_AND,
								.left = left,
								.right = right });
	}
	*ret = left;
	return 0;
}

static int parse_or(struct parser *p, uint32_t *ret)
{
	uint32_t left, right;

	if (parse_and(p, &left))
		return -EINVAL;
	while (p->token.kind == TOKEN_OR) {
		if (parser_advance(p) || parse_and(p, &right))
			return -EINVAL;
		left = parser_node(p, (struct expression_node){ .kind = EXPRESSION_OR,
								.left = left,
								.right = right });
	}
	*ret = left;
	return 0;
}

static int parse_whole(struct parser *p)
{
	if (parser_advance(p))
		return -EINVAL;
	if (p->token.kind == TOKEN_END)
		return error_set(p->err, EINVAL,
				 "the expression is empty; a question reads as 'dur > p95'");
	if (parse_or(p, &p->e->root))
		return -EINVAL;
	if (p->token.kind != TOKEN_END)
		return token_error(p->e->text, p->token.at, p->err,
				   "'&&' or '||' is expected here");
	return 0;
}

int expression_parse(const char *text, struct expression **ret, struct error *err)
{
	struct parser p = { .err = err };

	if (strlen(text) > EXPRESSION_MAX)
		return error_set(err, EINVAL, "the expression is longer than %d bytes",
				 EXPRESSION_MAX);
	p.e = NEW(struct expression);
	p.e->text = mem_text(text);
	if (parse_whole(&p)) {
		expression_free(p.e);
		return -EINVAL;
	}
	*ret = p.e;
	return 0;
}
