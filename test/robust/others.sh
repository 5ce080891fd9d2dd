#!/bin/bash
# Where a return is hooked for one process, the kernel hooks it in every process that has a
# probe there, also where that ends it: of several processes, of another sonde's, of children.
. "$(dirname "$0")/../live/lib.sh"
plan 19
need root
need bpf

# two ARGS...: targets $first and $second, which wait; their truth in $work/t1 and $truth
two() {
	target_start calls "$@" --wait --seconds 60
	first=$target
	mv "$truth" "$work/t1"
	mv "$work/go" "$work/go1"
	target_start calls "$@" --wait --seconds 60
	second=$target
}
# Both go on and end.
both_end() {
	echo go >"$work/go1"
	target_go
	target_finish
	{ wait "$first"; } 2>/dev/null
	first_status=$?
	sed -i '/^ready/d' "$work/t1"
}
unharmed() { [ "$first_status" = 0 ] && [ "$target_status" = 0 ] || { echo "$first_status $target_status"; return 1; }; }

# Their calls come on signal stacks, which would not survive a hook.
two signal --variant high
sonde_run record -p "$first,$second" -s f_push --exit hook --yes -d 1 -o "$work/x.sonde"
check 'of two processes no return is hooked' says '2 processes are watched.*--exit ret'
check 'and it fails' test "$status" = 1
sonde_start latency -p "$first,$second" f_push --yes --json -d 60
both_end
sonde_finish
check 'both end well' unharmed
truths() { cat "$truth" "$work/t1" | "$python" -c 'import json, sys; print(json.dumps([json.loads(l) for l in sys.stdin]))' >"$work/both"; }
truths
check 'and all their calls are seen to return' \
	holds 'd["returned"] == d["entries"] == sum(x["functions"]["f_push"]["entries"] for x in t)' \
	"$out" "$work/both"

# A sonde that hooks the one, another that would watch the other.
begin() { # PID END: the first sonde
	local out=$work/out1 err=$work/err1
	sonde_start latency -p "$1" f_push --exit "$2" --yes --json -d 60
	earlier=$tracer
}
two signal --variant high
begin "$first" hook
for end in ret auto bracket; do
	sonde_run latency -p "$second" f_push --exit $end --yes -d 1
	check "a process is not hooked for another's sake ($end)" \
		says "another sonde or tracer hooks returns .* in process $first"
	check "and it fails ($end)" test "$status" = 1
done
sonde_run latency -p "$second" main --exit ret --yes -d 0.2
check 'another function can be watched' status_is 0
sonde_run latency -p "$first" f_push --exit hook --yes -d 0.2
check 'so can the same one of the same process' status_is 0
both_end
check 'both end well' unharmed
{ wait "$earlier"; } 2>/dev/null

two signal --variant high
begin "$first" ret
sonde_run latency -p "$second" f_push --exit hook --yes -d 1
check 'nor is one hooked that another sonde watches' \
	says "another sonde or tracer watches .* in process $first.*--exit ret"
check 'and it fails' test "$status" = 1
sonde_start latency -p "$second" f_push --exit ret --yes --json -d 60
both_end
sonde_finish
{ wait "$earlier"; } 2>/dev/null
check 'by exits both can be watched' \
	holds 'd["returned"] == d["entries"] == t["functions"]["f_push"]["entries"]' "$out" "$truth"
check 'both end well' unharmed

# Children have the probes of their parent, and its hooks.
target_start calls fork --wait
sonde_run list -p "$target" f_push --json
check 'where one could fork no return is hooked unasked' holds 'd["exit"] == "exits"' "$out"
sonde_run doctor -p "$target" --json
check 'and the doctor says why' \
	holds 'not d["target"]["hook"] and "can fork" in d["target"]["hook_reason"]' "$out"
end_now "$target"
finish
