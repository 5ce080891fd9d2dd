#!/bin/bash
# C programs whose calls leave their stack, are interrupted, or end with their thread.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/play.sh"
plan $((11 * RESULTS))
need root
need bpf

play scene_stacks ucontext w_ucontext 100 "$all_return"
for where in '' _above _below; do
	play scene_stacks signal$where w_signal 100 "$all_return"
	play scene_stacks signal_left$where 'w_signal*' 100 'd["ended"]["return"] == 0'
done
# what the end of the first thread loads has to be judged first
for scene in exit cancel cancel_anywhere; do
	play scene_threads $scene "w_$scene" 100 \
		'd["ended"]["exit"] + d["ended"].get("unjudged", 0) == t["entries"] and d["ended"]["exit"] > 0.9 * t["entries"]'
done
# of a thread that is being made there may be no room to keep a call
play scene_threads short w_short 25 \
	'd["ended"]["return"] + d["ended"].get("untracked", 0) == t["entries"] == 20000 and d["ended"]["return"] >= 19980'
finish
