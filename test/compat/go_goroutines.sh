#!/bin/bash
# A Go program: calls on stacks that move, on whatever thread, left by panics, recovered
# or not, and by the end of their goroutine.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/play.sh"
plan $((14 * RESULTS))
need root
need bpf
[ -x "$scenes/scene_goroutines" ] || skip_rest "there is no Go compiler"

both='d["ended"]["return"] + d["ended"]["throw"] == t["entries"]'
play scene_goroutines grows main.w_grows 100 "$all_return"
play scene_goroutines recovered main.w_panic 100 "$both and d['ended']['throw'] == 11 * 267"
play scene_goroutines again main.w_again 100 'd["ended"]["throw"] == t["entries"]'
play scene_goroutines fault main.w_fault 100 "$both and d['ended']['throw'] == 200"
play scene_goroutines goexit main.w_goexit 100 'd["ended"]["exit"] == t["entries"]'
play scene_goroutines looks main.w_looks 100 "$all_return"
play scene_goroutines waits main.w_waits 100 "$all_return"
play scene_goroutines child main.w_child 100 "$all_return"
play scene_goroutines uncaught main.w_panic 100 \
	"d['ended'] == {**d['ended'], 'return': 133 * 11, 'throw': 266 * 11, 'exit': 4}"
# in turns with C, on the stacks of goroutine and thread
play scene_cgo back main.w_go 100 "$all_return"
play scene_cgo over main.w_go 100 "$both and d['ended']['throw'] == 4 * 267"
play scene_cgo thread main.w_go 100 "$all_return"
play scene_cgo leaves main.w_leaves 100 "$all_return"
how="their calls of C" counted='d["entries"] == 2 * t["entries"]' \
	play scene_cgo leaves w_leaf 100 'd["ended"]["return"] == d["entries"]'
finish
