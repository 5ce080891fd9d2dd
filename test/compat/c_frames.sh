#!/bin/bash
# C programs whose calls lie deep, end in others, are jumped out of, look at the stack.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/play.sh"
plan $((8 * RESULTS))
need root
need bpf

for scene in recursion mutual tail backtrace looked_at return_address; do
	play scene_frames $scene "w_$scene*" 100 "$all_return"
done
play scene_frames deep w_deep 15 'd["ended"]["return"] + d["ended"].get("too_deep", 0) == t["entries"]'
play scene_frames longjmp 'w_longjmp*' 100 'd["ended"]["longjmp"] > d["ended"]["return"] > 0'
finish
