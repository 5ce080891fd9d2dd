#include "view/recursion.h"

#include "base/text.h"
#include "view/picture_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void add_below(struct text *t, const struct recursion *r, const struct picture *p,
		      const uint64_t *total, uint32_t home)
{
	bool any = false;

	for (uint32_t i = 1; i < p->nodes.count; i++) {
		if (r->home[i] != i || recursion_parent(r, p, i) != home)
			continue;
		text_format(t,
			    any	   ? " %s"
			    : home ? "(%s"
				   : "%s",
			    picture_text(p, p->frames.at[p->nodes.at[i].frame].name));
		if (r->times[i] > 1)
			text_format(t, "x%u", r->times[i]);
		text_format(t, "=%llu", (unsigned long long)total[i]);
		add_below(t, r, p, total, i);
		any = true;
	}
	if (any && home)
		text_add_char(t, ')');
}

/* The merged tree with its totals, as "a=3(b=2 c=1)"; "bx3": below itself to three. */
static void check(const char *tree, const struct build_samples *stacks)
{
	struct picture *p = build_picture(stacks, true);
	AUTO_FREE uint64_t *total = mem_zeroed(p->nodes.count, sizeof(*total));
	AUTO_FREE uint64_t *plain = mem_zeroed(p->nodes.count, sizeof(*plain));
	AUTO_TEXT struct text t = { 0 };
	struct recursion r;

	recursion_find(&r, p);
	recursion_totals(&r, p, SIDE_BIT(SIDE_IN), false, total);
	picture_totals(p, SIDE_BIT(SIDE_IN), false, plain);
	assert_int_equal(total[0], plain[0]);
	for (uint32_t i = 1; i < p->nodes.count; i++)
		if (r.home[i] != i)
			assert_int_equal(total[i], 0);
	add_below(&t, &r, p, total, 0);
	assert_string_equal(text_string(&t), tree);
	recursion_done(&r);
	picture_free(p);
}

#define CHECK(tree, ...) check(tree, (const struct build_samples[]){ __VA_ARGS__, { 0 } })

static void what_does_not_recur_stays(void **state)
{
	CHECK("", { "", 3, 0 });
	CHECK("a=3(b=2)", { "a;b", 2, 0 }, { "a", 1, 0 });
	CHECK("a=1(b=1(a=1(b=1)))", { "a;b;a;b", 1, 0 });
}

static void a_function_below_itself_is_one(void **state)
{
	CHECK("sortx3=7(copy=3)", { "sort", 1, 0 }, { "sort;copy", 1, 0 },
	      { "sort;sort", 1, 0 }, { "sort;sort;sort;copy", 2, 0 }, { "sort;sort", 2, 0 });
	CHECK("a=6(sortx2=6(copy=6(cmpx2=6)))", { "a;sort;copy;cmp", 1, 0 },
	      { "a;sort;sort;copy;cmp;cmp", 2, 0 }, { "a;sort;copy;cmp;cmp", 3, 0 });
}

static void it_counts_anew_behind_another(void **state)
{
	CHECK("ax2=3(b=3(ax3=3))", { "a;b;a;a;a", 1, 0 }, { "a;a;b;a", 2, 0 });
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_does_not_recur_stays),
		cmocka_unit_test(a_function_below_itself_is_one),
		cmocka_unit_test(it_counts_anew_behind_another),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
