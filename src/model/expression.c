#include "model/expression.h"

#include "base/mem.h"
#include "model/comparison.h"

#include <errno.h>

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

static uint32_t parser_node(struct parser *p, struct expression_node node)
{
	array_push(&p->e->nodes, node);
	return p->e->nodes.count - 1;
}

static int parse_compare(struct parser *p, uint32_t *ret)
{
	struct expression_node node = { .kind = EXPRESSION_COMPARE };
	int r = comparison_parse(p, &node);

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
	*ret = parser_node(p,
			   (struct expression_node){ .kind = EXPRESSION_NOT, .left = inner });
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
	p->e->has_against = token_is(p, AGAINST);
	if (p->e->has_against && (parser_advance(p) || parse_or(p, &p->e->against)))
		return -EINVAL;
	if (p->token.kind != TOKEN_END)
		return token_error(p->e->text, p->token.at, p->err,
				   p->e->has_against ? "'&&' or '||' is expected here"
						     : "'&&', '||' or '" AGAINST
						       "' is expected here");
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
