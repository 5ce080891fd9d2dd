#!/bin/bash
# C++ programs: calls that exceptions leave, and what catches, throws again, cleans up.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/play.sh"
plan $((10 * RESULTS))
need root
need bpf
[ -x "$scenes/scene_throws" ] || skip_rest "no C++ compiler"

all_fall='d["ended"]["throw"] == t["entries"]'
both='d["ended"]["return"] + d["ended"]["throw"] == t["entries"]'
play scene_throws throw w_throw 100 "$both and d['ended']['throw'] == 134"
play scene_throws throw_many w_throw_many 100 "$all_fall"
play scene_throws rethrow w_rethrow 100 "$all_fall"
play scene_throws caught 'w_caught*' 100 "$both and d['ended']['throw'] == 1000"
play scene_throws nested w_nested 100 "$all_fall"
play scene_throws callback w_callback 100 "$both and d['ended']['throw'] == 80"
play scene_throws carried w_carried 100 "$both and d['ended']['throw'] == 300"
# the last one ends the program
play scene_throws noexcept 'w_noexcept*' 100 'd["ended"]["return"] == t["entries"] - 2'

[ -x "$scenes/scene_coroutines" ] || skip_rest "the compiler has no coroutines"
play scene_coroutines coroutine w_coroutine_step 100 "$both and d['ended']['throw'] > 0"
# the first part, the middle and the clean-up of each are calls of their own
counted='d["entries"] > t["entries"]' how='all its parts' \
	play scene_coroutines coroutine 'w_coroutine*' 100 'd["ended"]["return"] > t["entries"]'
finish
