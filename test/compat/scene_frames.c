/*
 * scene_frames - calls that lie deep, end in other functions, are jumped out of, and
 * that look at the stack they lie on.
 */
#include "scene.h"

#include <execinfo.h>
#include <setjmp.h>
#include <stdlib.h>

#define FRAMES_MAX 64

/* not a leaf, not a loop: something stays to be done after the call */
KEPT uint64_t w_recursion(unsigned depth, uint64_t value);
KEPT uint64_t w_recursion(unsigned depth, uint64_t value)
{
	scene_entered();
	if (!depth)
		return value;
	value = w_recursion(depth - 1, value + depth);
	SCENE_STAYS(value);
	return value * 31 + depth;
}

static void play_recursion(unsigned round)
{
	printf(" %llx", (unsigned long long)w_recursion(20, round));
}

KEPT uint64_t w_deep(unsigned depth, uint64_t value);
KEPT uint64_t w_deep(unsigned depth, uint64_t value)
{
	scene_entered();
	if (!depth)
		return value;
	value = w_deep(depth - 1, value ^ depth);
	SCENE_STAYS(value);
	return value * 33 + depth;
}

static void play_deep(unsigned round)
{
	printf(" %llx", (unsigned long long)w_deep(4999, round));
}

KEPT uint64_t w_mutual_odd(unsigned depth, uint64_t value);
KEPT uint64_t w_mutual_even(unsigned depth, uint64_t value);
KEPT uint64_t w_mutual_even(unsigned depth, uint64_t value)
{
	scene_entered();
	if (!depth)
		return value;
	value = w_mutual_odd(depth - 1, value);
	SCENE_STAYS(value);
	return value + 2 * depth;
}

KEPT uint64_t w_mutual_odd(unsigned depth, uint64_t value)
{
	scene_entered();
	if (!depth)
		return value;
	value = w_mutual_even(depth - 1, value);
	SCENE_STAYS(value);
	return value * 3 + depth;
}

static void play_mutual(unsigned round)
{
	printf(" %llx", (unsigned long long)w_mutual_even(20, round));
}

/* Jumps on: each returns in the other's name to the first one's caller. */
KEPT uint64_t w_tail_last(uint64_t value, unsigned rounds);
KEPT uint64_t w_tail_next(uint64_t value, unsigned rounds);
KEPT uint64_t w_tail(uint64_t value, unsigned rounds);
KEPT uint64_t w_tail_last(uint64_t value, unsigned rounds)
{
	scene_entered();
	return spin(rounds) + value;
}

KEPT uint64_t w_tail_next(uint64_t value, unsigned rounds)
{
	scene_entered();
	return w_tail_last(value ^ 5, rounds);
}

KEPT uint64_t w_tail(uint64_t value, unsigned rounds)
{
	scene_entered();
	if (value % 3 == 0)
		return value;
	return value % 3 == 1 ? w_tail_next(value, rounds) : w_tail_last(value, rounds);
}

static void play_tail(unsigned round)
{
	printf(" %llx", (unsigned long long)w_tail(round, 1000));
}

static jmp_buf outer_place, inner_place;

/* Does not return, but no compiler knows it. */
KEPT unsigned leave(jmp_buf *to);
KEPT unsigned leave(jmp_buf *to)
{
	longjmp(*to, 1);
}

KEPT unsigned w_longjmp(unsigned depth, jmp_buf *to);
KEPT unsigned w_longjmp(unsigned depth, jmp_buf *to)
{
	unsigned frames;

	scene_entered();
	frames = depth ? w_longjmp(depth - 1, to) : leave(to);
	SCENE_STAYS(frames);
	return frames + 1;
}

/* A watched function that is jumped back into, twice to one place; out of every
 * second call further jumps lead. */
KEPT unsigned w_longjmp_into(unsigned round);
KEPT unsigned w_longjmp_into(volatile unsigned round)
{
	volatile unsigned times = 0;

	scene_entered();
	setjmp(inner_place);
	if (times++ < 2)
		w_longjmp(round % 7, &inner_place);
	if (round % 2)
		w_longjmp(3, &outer_place);
	return times;
}

static void play_longjmp(volatile unsigned round)
{
	volatile unsigned jumps = 0;

	for (volatile unsigned i = 0; i < 2; i++) {
		if (setjmp(outer_place))
			printf(" jumped %u", ++jumps);
		else
			printf(" %u", w_longjmp_into(round + i));
	}
}

static void print_stack(void *const *frames, int count)
{
	for (int i = 0; i < count; i++)
		printf(" %s", scene_place(frames[i]));
}

KEPT int look(void);
KEPT int look(void)
{
	void *frames[FRAMES_MAX];
	int count = backtrace(frames, FRAMES_MAX);

	print_stack(frames, count);
	return count;
}

/* Looks at the stack itself. */
KEPT int w_backtrace(unsigned depth);
KEPT int w_backtrace(unsigned depth)
{
	void *frames[FRAMES_MAX];
	int count;

	scene_entered();
	if (depth) {
		count = w_backtrace(depth - 1);
		SCENE_STAYS(count);
		return count + 1;
	}
	count = backtrace(frames, FRAMES_MAX);
	print_stack(frames, count);
	return count;
}

static void play_backtrace(unsigned round)
{
	printf(" %d", w_backtrace(round % 5));
}

/* Something that is called by it does. */
KEPT int w_looked_at(unsigned depth);
KEPT int w_looked_at(unsigned depth)
{
	int count;

	scene_entered();
	count = depth ? w_looked_at(depth - 1) : look();
	SCENE_STAYS(count);
	return count + 1;
}

static void play_looked_at(unsigned round)
{
	printf(" %d", w_looked_at(round % 5));
}

/* Checks who called it, as a library that trusts some callers does. */
KEPT const char *w_return_address(void);
KEPT const char *w_return_address(void)
{
	scene_entered();
	return scene_place(__builtin_return_address(0));
}

/* The address as it lies on the stack: what unwinders and stack canaries of a kind read. */
KEPT const char *w_return_address_slot(void);
KEPT const char *w_return_address_slot(void)
{
	void *const *frame = __builtin_frame_address(0);

	scene_entered();
	return scene_place(frame[1]);
}

static void play_return_address(unsigned round)
{
	printf(" %s %s", w_return_address(), w_return_address_slot());
}

static const struct scene scenes[] = {
	{ "recursion", play_recursion, 0 },
	{ "deep", play_deep, 60 },
	{ "mutual", play_mutual, 0 },
	{ "tail", play_tail, 0 },
	{ "longjmp", play_longjmp, 0 },
	{ "backtrace", play_backtrace, 0 },
	{ "looked_at", play_looked_at, 0 },
	{ "return_address", play_return_address, 0 },
	{ 0 },
};

int main(int argc, char **argv)
{
	return scene_main(argc, argv, scenes);
}
