#include "model/space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void map(struct spaces *s, uint32_t pid, nsec since, struct space_range r)
{
	r.since = since;
	space_map(s, pid, &r);
}

/* The image at an address, and its offset there. */
static uint32_t at(const struct spaces *s, uint32_t pid, uint64_t address, nsec time)
{
	const struct space *space = space_find(s, pid);
	const struct space_range *r = space ? space_lookup(space, address, time) : NULL;

	if (r)
		assert_true(r->start <= address && address < r->end);
	return r ? r->image : 0;
}

static void disjoint(const struct spaces *s, uint32_t pid)
{
	const struct space *space = space_find(s, pid);

	for (uint32_t i = 0; i < space->now.count; i++) {
		assert_true(space->now.at[i].start < space->now.at[i].end);
		if (i)
			assert_true(space->now.at[i - 1].end <= space->now.at[i].start);
	}
}

static void addresses_find_their_range(void **state)
{
	struct spaces s = { 0 };

	map(&s, 1, 5, (struct space_range){ 0x3000, 0x4000, .image = 30 });
	map(&s, 1, 5, (struct space_range){ 0x1000, 0x2000, .image = 10 });
	map(&s, 1, 5, (struct space_range){ 0x2000, 0x3000, .image = 20 });
	assert_int_equal(at(&s, 1, 0xfff, 9), 0);
	assert_int_equal(at(&s, 1, 0x1000, 9), 10);
	assert_int_equal(at(&s, 1, 0x2fff, 9), 20);
	assert_int_equal(at(&s, 1, 0x3fff, 9), 30);
	assert_int_equal(at(&s, 1, 0x4000, 9), 0);
	assert_int_equal(at(&s, 2, 0x1000, 9), 0);
	assert_int_equal(at(&s, 1, 0x1000, 1), 10); /* known later: better than nothing */
	spaces_done(&s);
}

static void the_newest_range_wins_and_the_older_is_remembered(void **state)
{
	struct spaces s = { 0 };
	const struct space_range *tail;

	map(&s, 1, 10, (struct space_range){ 0x1000, 0x9000, .offset = 0x100, .image = 1 });
	map(&s, 1, 20, (struct space_range){ 0x3000, 0x5000, .image = 2 });
	disjoint(&s, 1);
	assert_int_equal(at(&s, 1, 0x2fff, 30), 1);
	assert_int_equal(at(&s, 1, 0x3000, 30), 2);
	assert_int_equal(at(&s, 1, 0x4fff, 30), 2);
	assert_int_equal(at(&s, 1, 0x5000, 30), 1);
	assert_int_equal(at(&s, 1, 0x3000, 19), 1);
	tail = space_lookup(space_find(&s, 1), 0x5000, 30);
	assert_int_equal(tail->offset, 0x100 + 0x4000);
	spaces_done(&s);
}

static void order_of_arrival_does_not_matter(void **state)
{
	struct spaces s = { 0 };

	map(&s, 1, 20, (struct space_range){ 0x3000, 0x5000, .image = 2 });
	map(&s, 1, 10, (struct space_range){ 0x1000, 0x9000, .image = 1 });
	disjoint(&s, 1);
	assert_int_equal(at(&s, 1, 0x2000, 30), 1);
	assert_int_equal(at(&s, 1, 0x4000, 30), 2);
	assert_int_equal(at(&s, 1, 0x4000, 15), 1);
	assert_int_equal(at(&s, 1, 0x8fff, 30), 1);
	spaces_done(&s);
}

static void the_same_map_again_changes_nothing(void **state)
{
	struct spaces s = { 0 };
	uint32_t version;

	map(&s, 1, 10, (struct space_range){ 0x1000, 0x2000, .image = 1 });
	version = space_find(&s, 1)->version;
	map(&s, 1, 20, (struct space_range){ 0x1000, 0x2000, .image = 1 });
	assert_int_equal(space_find(&s, 1)->version, version);
	assert_int_equal(space_find(&s, 1)->now.count, 1);
	map(&s, 1, 30, (struct space_range){ 0x2000, 0x2000, .image = 1 });
	map(&s, 1, 30, (struct space_range){ 0x3000, 0x2000, .image = 1 });
	assert_int_equal(space_find(&s, 1)->now.count, 1);
	spaces_done(&s);
}

static void a_child_inherits_and_an_exec_empties(void **state)
{
	struct spaces s = { 0 };

	map(&s, 1, 10, (struct space_range){ 0x1000, 0x2000, .image = 1 });
	map(&s, 2, 60,
	    (struct space_range){ 0x1800, 0x1900, .image = 7 }); /* overtook the fork */
	space_fork(&s, 1, 2, 50);
	assert_int_equal(at(&s, 2, 0x1000, 70), 1);
	assert_int_equal(at(&s, 2, 0x1800, 70), 7);
	assert_int_equal(at(&s, 2, 0x1800, 55), 1);
	space_exec(&s, 2, 100);
	assert_int_equal(at(&s, 2, 0x1000, 101), 0);
	assert_int_equal(at(&s, 2, 0x1000, 99), 1);
	assert_int_equal(at(&s, 1, 0x1000, 101), 1);
	space_fork(&s, 99, 3, 100); /* of a parent that nobody knows */
	space_fork(&s, 1, 1, 100);
	assert_null(space_find(&s, 3));
	spaces_done(&s);
}

static void many_processes_push_out_the_ended(void **state)
{
	struct spaces s = { 0 };
	struct space_range r = { 0x1000, 0x2000, .image = 1 };

	for (uint32_t pid = 1; pid <= SPACE_MAX; pid++)
		map(&s, pid, 1, r);
	map(&s, 100000, 1, r);
	assert_int_equal(s.refused, 1);
	space_exit(&s, 77);
	map(&s, 100000, 1, r);
	assert_int_equal(s.refused, 1);
	assert_null(space_find(&s, 77));
	assert_int_equal(at(&s, 100000, 0x1000, 2), 1);
	spaces_done(&s);
}

static void random_maps_stay_disjoint_and_right(void **state)
{
	enum { PAGES = 64 };
	struct spaces s = { 0 };
	uint32_t image[PAGES] = { 0 };
	nsec since[PAGES] = { 0 };

	for (uint64_t i = 1; i < 3000; i++) {
		uint64_t first = hash_u64(i) % PAGES, length = hash_u64(i + 1000000) % 9 + 1;
		nsec time = hash_u64(i * 77) % 4 ? i + 10 : i;

		if (first + length > PAGES)
			continue;
		map(&s, 1, time,
		    (struct space_range){ first << 12, (first + length) << 12, .image = i });
		for (uint64_t k = first; k < first + length; k++) {
			if (time < since[k])
				continue;
			since[k] = time;
			image[k] = i;
		}
		disjoint(&s, 1);
		for (uint64_t k = 0; k < PAGES; k++)
			assert_int_equal(at(&s, 1, k << 12, 100000), image[k]);
	}
	spaces_done(&s);
}

/* Each fork of a process with many ranges costs as many again. */
static void all_of_them_are_bounded(void **state)
{
	struct spaces s = { 0 };
	uint64_t held = 0;

	for (uint32_t i = 0; i < SPACE_MAX_RANGES + 10; i++)
		map(&s, 1, 5,
		    (struct space_range){ i * 0x2000, i * 0x2000 + 0x1000, .image = 1 });
	assert_int_equal(space_find(&s, 1)->now.count, SPACE_MAX_RANGES);
	assert_int_equal(s.refused, 10);
	for (uint32_t pid = 2; pid < 300; pid++)
		space_fork(&s, 1, pid, 6);
	for (uint32_t i = 0; i < s.list.count; i++)
		held += s.list.at[i].now.count + s.list.at[i].old.count;
	assert_true(held == s.ranges && held <= SPACE_ALL_RANGES);
	assert_true(s.refused > 10);
	/* what ended makes room */
	space_exit(&s, 2);
	space_fork(&s, 1, 300, 7);
	assert_int_equal(space_find(&s, 2)->now.count, 0);
	assert_int_equal(at(&s, 300, 0x2000, 9), 1);
	assert_int_equal(at(&s, 1, 0x2000, 9), 1);
	spaces_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_find_their_range),
		cmocka_unit_test(all_of_them_are_bounded),
		cmocka_unit_test(the_newest_range_wins_and_the_older_is_remembered),
		cmocka_unit_test(order_of_arrival_does_not_matter),
		cmocka_unit_test(the_same_map_again_changes_nothing),
		cmocka_unit_test(a_child_inherits_and_an_exec_empties),
		cmocka_unit_test(many_processes_push_out_the_ended),
		cmocka_unit_test(random_maps_stay_disjoint_and_right),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
