#!/bin/bash
# C programs that become two processes, or another, or that may hardly call the kernel.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/play.sh"
plan $((7 * RESULTS))
need root
need bpf

# Of what a child calls all that came after its own probes were set is seen: of those
# that end at once hardly anything.
all_seen_end='d["ended"]["return"] + d["ended"].get("exec", 0) == d["entries"]'
own_at_least='t["entries"] <= d["entries"] <= t["entries"] + t["in_children"]'
play scene_processes fork 'w_fork*' 100 "$all_return"
counted=$own_at_least play scene_processes vfork 'w_vfork*' 100 "$all_seen_end"
# each child makes its one call on a stack that it was given; it may have the probe of the
# entry before those of the exits
on_given_stack='d["ended"]["return"] >= t["entries"] and
	d["ended"]["return"] + d["ended"].get("exit", 0) == d["entries"]'
counted=$own_at_least play scene_processes clone 'w_clone*' 100 "$on_given_stack"
play scene_processes spawn w_spawn 100 "$all_return"
# a child that lives for a second
counted='0.9 * t["in_children"] < d["entries"] <= t["in_children"]' \
	play scene_processes worker w_worker 5 "$all_seen_end"
play scene_processes strict w_confined_part 100 "$all_return"
play scene_processes filter w_confined_part 100 "$all_return"
finish
