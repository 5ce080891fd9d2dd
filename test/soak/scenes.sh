#!/bin/bash
# Programs in Rust and Go whose calls are left by panics, or wait on stacks that move.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/soak.sh"
plan 15
need root
need bpf
scenes=$build/test/compat

# soak_scene PROGRAM SCENE PLACE RATE 'expression of the ends'
soak_scene() {
	local program=$scenes/$1 scene=$2 place=$3 rate=$4 ends=$5 i pid
	if [ ! -x "$program" ]; then
		for i in 1 2 3 4 5; do skip "$1 $scene" "no compiler for it"; done
		return
	fi
	"$program" "$scene" --calls $((rate * seconds)) --rate "$rate" </dev/null 2>/dev/null |
		sed '/^ready/d' >"$work/alone"
	target_start "$program" "$scene" --calls $((rate * seconds)) --rate "$rate" --wait
	pid=$(sed -n 's/^ready //p' "$truth")
	soak_begin "$pid" "$place"
	target_go
	target_finish
	soak_end
	check "$1 $scene: it ends well" exited_well
	check "$1 $scene: it prints what it prints alone" cmp "$work/alone" "$truth"
	check "$1 $scene: every call is counted once" holds 'd["entries"] == t["entries"] and balanced(d)' "$out" "$truth"
	check "$1 $scene: it has the end it had" holds "$ends" "$out" "$truth"
	check "$1 $scene: probes came and went ($(visits))" visits_are_sound
}

both='d["ended"]["return"] + d["ended"]["throw"] == t["entries"]'
soak_scene scene_panics caught w_panic 100 "$both and d['ended']['throw'] > 0.5 * t['entries']"
soak_scene scene_goroutines recovered main.w_panic 100 "$both and d['ended']['throw'] > 0.5 * t['entries']"
soak_scene scene_goroutines waits main.w_waits 100 'd["ended"]["return"] == t["entries"]'
finish
