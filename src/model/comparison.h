/*
 * comparison - the leaves of an expression, as dur > 5ms (see expression.h for
 * the grammar; this is the inner side of its parser).
 */
#ifndef SONDE_MODEL_COMPARISON_H
#define SONDE_MODEL_COMPARISON_H

#include "model/expression.h"
#include "model/token.h"

#include <string.h>

struct parser {
	struct expression *e;
	struct token token; /* the next one */
	size_t next;	    /* behind it */
	unsigned depth;
	struct error *err;
};

/* Parses one comparison into a zeroed node; what the node owns is there also
 * after an error. */
int comparison_parse(struct parser *p, struct expression_node *node);

static inline const char *parser_here(const struct parser *p)
{
	return p->e->text + p->token.at;
}

static inline int parser_advance(struct parser *p)
{
	return token_read(p->e->text, p->next, &p->token, &p->next, p->err);
}

static inline bool token_is(const struct parser *p, const char *word)
{
	return p->token.kind == TOKEN_WORD && p->token.length == strlen(word) &&
	       strncmp(parser_here(p), word, p->token.length) == 0;
}

#endif
