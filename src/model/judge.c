#include "model/judge.h"

#include "base/text.h"

static enum truth compare(enum expression_op op, double v, const struct bound *b)
{
	switch (op) {
	case OP_EQ:
		return v == b->low ? TRUE : UNTRUE;
	case OP_NE:
		return v != b->low ? TRUE : UNTRUE;
	case OP_LT:
		return v < b->low ? TRUE : UNTRUE;
	case OP_LE:
		return v <= b->low ? TRUE : UNTRUE;
	case OP_GT:
		return v > b->low ? TRUE : UNTRUE;
	case OP_GE:
		return v >= b->low ? TRUE : UNTRUE;
	case OP_IN:
		return v >= b->low && v <= b->high ? TRUE : UNTRUE;
	case OP_MATCH:
		break;
	}
	return UNTRUE;
}

/* What is true of every duration of at least v. */
static enum truth compare_at_least(enum expression_op op, double v, const struct bound *b)
{
	double last = op == OP_IN ? b->high : b->low;

	if (op == OP_GT || op == OP_GE || op == OP_NE)
		return v > last || (op == OP_GE && v == last) ? TRUE : UNKNOWN;
	return v > last || (op == OP_LT && v == last) ? UNTRUE : UNKNOWN;
}

static nsec call_age(const struct store *st, const struct span *call, nsec now)
{
	return span_age(call, st->losses.spans ? call->seen : now);
}

static enum truth judge_duration(const struct scene *s, enum expression_op op,
				 const struct bound *b)
{
	const struct span *call = s->call;
	bool broken = false;

	if (!s->store)
		return b->probe == s->split->probe ? compare(op, s->duration, b) : UNKNOWN;
	if (b->probe != s->split->probe)
		call = store_enclosing(s->store, s->sample->span, b->probe, &broken);
	else if (s->duration > 0)
		return compare(op, s->duration, b);
	if (!call)
		return broken ? UNKNOWN : UNTRUE;
	if (span_finished(call))
		return compare(op, span_age(call, 0), b);
	return compare_at_least(op, call_age(s->store, call, s->now), b);
}

double judge_time_of(const struct span *call, enum expression_subject subject, double duration)
{
	switch (subject) {
	case SUBJECT_CPU:
		return duration > call->away ? duration - call->away : 0;
	case SUBJECT_OFF:
		return call->away;
	case SUBJECT_RUNNABLE:
		return call->queued;
	case SUBJECT_BLOCKED:
		return call->away - call->queued;
	default:
		return duration;
	}
}

static enum truth judge_time(const struct scene *s, const struct expression_node *n,
			     const struct bound *b)
{
	bool main = b->probe == s->split->probe, broken = false;
	const struct span *call;

	if (!s->store)
		return UNKNOWN;
	call = main ? s->call : store_enclosing(s->store, s->sample->span, b->probe, &broken);
	if (!call)
		return broken ? UNKNOWN : UNTRUE;
	if (!span_finished(call) || !call->timed)
		return UNKNOWN;
	return compare(n->op,
		       judge_time_of(call, n->subject,
				     main && s->duration > 0 ? s->duration : span_age(call, 0)),
		       b);
}

static enum truth judge_thread(const struct scene *s, const struct expression_node *n)
{
	const char *name;

	if (!s->store)
		return UNKNOWN;
	name = store_thread_name(s->store, s->sample->tid);
	if (n->op == OP_MATCH)
		return text_glob(n->string, name) ? TRUE : UNTRUE;
	return (strcmp(n->string, name) == 0) == (n->op == OP_EQ) ? TRUE : UNTRUE;
}

/* As deep as the expression's parentheses and chains: bounded by the parser. */
static enum truth judge(const struct scene *s, uint32_t i)
{
	const struct expression_node *n = split_node(s->split, i);
	enum truth left, right;

	if (n->kind == EXPRESSION_COMPARE) {
		if (n->subject == SUBJECT_DUR)
			return judge_duration(s, n->op, &s->split->bounds[i]);
		if (subject_is_time(n->subject))
			return judge_time(s, n, &s->split->bounds[i]);
		if (n->subject == SUBJECT_THREAD)
			return judge_thread(s, n);
		return s->store ? compare(n->op, s->sample->tid, &s->split->bounds[i])
				: UNKNOWN;
	}
	left = judge(s, n->left);
	if (n->kind == EXPRESSION_NOT)
		return TRUE - left;
	if (left == (n->kind == EXPRESSION_AND ? UNTRUE : TRUE))
		return left;
	right = judge(s, n->right);
	if (n->kind == EXPRESSION_AND)
		return left < right ? left : right;
	return left > right ? left : right;
}

enum truth judge_scene(const struct scene *s)
{
	return judge(s, s->split->expression->root);
}

enum truth judge_against(const struct scene *s)
{
	const struct expression *e = s->split->expression;

	return e->has_against ? judge(s, e->against) : TRUE;
}
