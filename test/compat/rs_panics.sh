#!/bin/bash
# A Rust program: calls that panics leave, caught or not.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/play.sh"
plan $((5 * RESULTS))
need root
need bpf
[ -x "$scenes/scene_panics" ] || skip_rest "no Rust compiler"

both='d["ended"]["return"] + d["ended"]["throw"] == t["entries"]'
play scene_panics caught w_panic 100 "$both and d['ended']['throw'] == 11 * 267"
play scene_panics thread w_panic 100 "$both and d['ended']['throw'] == 11 * 267"
play scene_panics resumed w_resume 100 'd["ended"]["throw"] == t["entries"]'
play scene_panics looks w_looks 100 "$all_return"
# the last panic ends the program
play scene_panics uncaught w_panic 100 "$both and d['ended']['return'] == t['entries'] - 4"
finish
