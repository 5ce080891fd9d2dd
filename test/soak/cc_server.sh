#!/bin/bash
# A server in C++ whose answers come by exceptions, through the frames that are watched.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/soak.sh"
plan 6
need root
need bpf
[ -x "$soaked/cc_server" ] || skip_rest "no C++ compiler"

# ask: the same questions again, for as long as the test takes.
ask() {
	"$python" "$(dirname "$0")/ask.py" "$(sed -n 's/^port //p' "$truth")" $((seconds * 300)) 300
}

close_server() {
	echo q >"$work/go"
	target_finish
	sed -i '/^port/d' "$truth"
}

target_start "$soaked/cc_server"
ask >"$work/alone" 2>&1
close_server
cp "$truth" "$work/truth.alone"
target_start "$soaked/cc_server"
soak_begin "$target" server::parse
ask >"$work/watched" 2>&1
soak_end
close_server
check 'it ends well' exited_well
check 'its answers are what they are alone' cmp "$work/alone" "$work/watched"
check 'some are refusals' grep -q 'cannot read' "$work/watched"
check 'its own count is what it is alone' cmp "$truth" "$work/truth.alone"
check 'every call has its end' holds 'd["ended"]["return"] == t["parse"]["returned"] and
	d["ended"]["throw"] == t["parse"]["thrown"] and balanced(d)' "$out" "$truth"
check "probes came and went ($(visits))" visits_are_sound
finish
