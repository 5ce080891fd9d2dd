/*
 * depth - calls within calls: recursion, mutual recursion, nesting.
 */
#include "calls.h"

KEPT uint64_t fact(struct run *r, unsigned n);
KEPT uint64_t even(struct run *r, unsigned n);
KEPT uint64_t odd(struct run *r, unsigned n);
KEPT uint64_t outer(struct run *r);
KEPT uint64_t middle(struct run *r);
KEPT uint64_t inner(struct run *r);

KEPT uint64_t fact(struct run *r, unsigned n)
{
	uint64_t result = n + 1;

	atomic_fetch_add(&r->counts[0].entries, 1);
	spin(r->stage->work / 16);
	if (n)
		result *= fact(r, n - 1);
	atomic_fetch_add(&r->counts[0].returned, 1);
	return result;
}

void run_recurse(struct run *r)
{
	for (unsigned i = 0; i < r->stage->calls; i++)
		fact(r, r->stage->depth);
}

KEPT uint64_t even(struct run *r, unsigned n)
{
	uint64_t result;

	atomic_fetch_add(&r->counts[0].entries, 1);
	spin(r->stage->work / 16);
	result = n ? odd(r, n - 1) : 1;
	atomic_fetch_add(&r->counts[0].returned, 1);
	return result;
}

KEPT uint64_t odd(struct run *r, unsigned n)
{
	uint64_t result;

	atomic_fetch_add(&r->counts[1].entries, 1);
	spin(r->stage->work / 16);
	result = n ? even(r, n - 1) : 0;
	atomic_fetch_add(&r->counts[1].returned, 1);
	return result;
}

void run_mutual(struct run *r)
{
	for (unsigned i = 0; i < r->stage->calls; i++)
		even(r, r->stage->depth);
}

KEPT uint64_t inner(struct run *r)
{
	uint64_t result;

	atomic_fetch_add(&r->counts[2].entries, 1);
	result = spin(r->stage->work / 2);
	atomic_fetch_add(&r->counts[2].returned, 1);
	return result;
}

KEPT uint64_t middle(struct run *r)
{
	uint64_t result = spin(r->stage->work / 4);

	atomic_fetch_add(&r->counts[1].entries, 1);
	for (unsigned i = 0; i < r->stage->depth; i++)
		result ^= inner(r);
	atomic_fetch_add(&r->counts[1].returned, 1);
	return result;
}

KEPT uint64_t outer(struct run *r)
{
	uint64_t result = spin(r->stage->work / 4);

	atomic_fetch_add(&r->counts[0].entries, 1);
	for (unsigned i = 0; i < r->stage->depth; i++)
		result ^= middle(r);
	atomic_fetch_add(&r->counts[0].returned, 1);
	return result;
}

void run_nested(struct run *r)
{
	for (unsigned i = 0; i < r->stage->calls; i++)
		outer(r);
}
