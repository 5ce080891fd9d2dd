#!/bin/bash
# Calls that are slow for a planted reason, and calls that differ in nothing: the first
# must be named, in the second nothing may.
. "$(dirname "$0")/lib.sh"
plan 14
need root
need bpf

# watch VARIANT: calls of 400 us for 4 seconds; ticks must not keep step with them
watch() {
	"$sonde" record -q -s serve -F 1301 --yes -o "$work/$1.sonde" -- \
		"$targets/calls" planted --variant "$1" --work 400000 --calls 8000 --seconds 60 \
		>"$work/$1.truth" 2>"$work/$1.err"
}

# why VARIANT SPLIT: what the report says, as JSON
why() {
	sonde_run report "$work/$1.sonde" --split "$2" --json
	cp "$out" "$work/why.json"
}

check 'calls with a planted cause are recorded' watch 5:60
check 'the target knows its cause' grep -q '"cause":"paint"' "$work/5:60.truth"
why 5:60 'dur > p90'
check 'it is named, and nothing that is not around it' holds \
	'"paint" in d["split"]["verdict"]["causes"] and
	set(d["split"]["verdict"]["causes"]) <= {"paint", "render"}' "$work/why.json"
sonde_run report "$work/5:60.sonde" --split 'dur > p90'
tr '\n' ' ' <"$out" >"$work/words"
check 'in words, too' grep -q 'paint (planted.c:' "$work/words"

# One picture of a hundred is so far out by chance, so it may be tried again.  Where others
# want the CPU, too, calls are slow that were interrupted, which is true.
nothing_is_named() {
	local try
	for try in 1 2; do
		watch alike && why alike "$1" &&
			holds 'set(d["split"]["verdict"]["causes"]) <= {"[interrupt]"}' \
				"$work/why.json" && return
		echo "try $try"
	done
	return 1
}

check 'no function is the cause of calls that are longer alike' nothing_is_named 'dur > p90'
check 'nor of calls of a thread like the others' nothing_is_named 'thread == "odd"'

# A function that only the slow calls run is the point, not what it calls.
"$sonde" record -s mix -s quick_part -F 1301 --yes -o "$work/mixed.sonde" -- \
	"$targets/calls" mixed --work 300000 --variant 3 --calls 6000 --seconds 60 \
	>"$work/mixed.truth" 2>"$work/mixed.err"
check 'of several spans the first is asked about' \
	grep -q "report .*mixed.sonde --split 'mix.dur > p95'" "$work/mixed.err"
sonde_run report "$work/mixed.sonde" --split 'mix.dur > 700us' --json
cp "$out" "$work/why.json"
check 'the cause is what only slow calls run' holds \
	'd["split"]["verdict"]["causes"][0] == "slow_part"' "$work/why.json"
check 'nothing is named beside what it calls' holds \
	'"spin" not in d["split"]["verdict"]["causes"]' "$work/why.json"
sonde_run report "$work/mixed.sonde" --split 'mix.dur > 700us'
check 'a target that is over is started anew' \
	grep -qx 'Next, in a new run: sonde latency slow_part -- COMMAND' "$out"

# What a tick finds where a probe lets go of the thread was held back by the probe: of calls
# of 4 us that were a tenth.  All of these spend their time in spin, and in serve's few
# instructions, which the probe has made slow.
for end in hook ret; do
	"$sonde" record -q -s serve -F 1301 --yes --exit $end -o "$work/$end.sonde" -- \
		"$targets/calls" planted --variant same --work 4000 --calls 200000 --seconds 60 \
		>"$work/$end.truth" 2>"$work/$end.err"
	sonde_run report "$work/$end.sonde" --json
	cp "$out" "$work/why.json"
	check "exit $end: the first line of a short call has no more than it takes" holds \
		'sum(f["self_in_ns"] for f in d["functions"] if f["name"] == "serve")
		< 0.07 * sum(f["self_in_ns"] for f in d["functions"])' "$work/why.json"
	sonde_run report "$work/$end.sonde" --side in -o "$work/in.folded"
	sonde_run report "$work/$end.sonde" -o "$work/all.folded"
	check "exit $end: nor has where it returns to" "$python" -c '
import sys
inside, all = (sum(int(line.split()[-1]) for line in open(f)) for f in sys.argv[1:])
assert inside > 0.85 * all, (inside, all)' "$work/in.folded" "$work/all.folded"
done
finish
