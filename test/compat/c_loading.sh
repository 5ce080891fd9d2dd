#!/bin/bash
# C programs that load libraries and let them go, one of which throws; functions of two
# names and of the loader's choice; values in wide registers.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/play.sh"
plan $((9 * RESULTS + 2))
need root
need bpf

play scene_loading alias w_alias 100 "$all_return"
play scene_loading ifunc ifunc_here 100 "$all_return"
play scene_loading vector 'w_vector*' 100 "$all_return"

[ -f "$targets/libnewcode_throws.so" ] || skip_rest "no C++ compiler"
# Returns that would be hooked are not while new code is looked at, or once some is
# there that throws; of these calls it is known that there were so many.
let_go='d["ended"]["return"] + d["ended"]["unjudged"] == t["entries"]'
play scene_loading dlopen 'w_dlopen*' 100 "$let_go"
check 'it is said how many were not timed' says 'not timed: unjudged'
play scene_loading throws w_through 100 "$let_go"
play scene_loading throws_late w_through 100 "$let_go"
check 'and which library it was' says 'since when returns were not hooked.*libnewcode_throws.so'

# What throws comes after its landmarks were looked for: those calls were left.
left='d["ended"]["return"] + d["ended"].get("throw", 0) + d["ended"].get("longjmp", 0)
	== t["entries"]'
how='--exit ret' asked=(--exit ret)
play scene_loading dlopen 'w_dlopen*' 100 "$all_return"
play scene_loading throws w_through 100 "$left and d['ended']['return'] == 534"
play scene_loading throws_late w_through 100 "$left and d['ended']['return'] == 500"
finish
