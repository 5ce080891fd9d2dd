#!/bin/bash
# Calls whose end no probe sees: each is counted once, its duration is known as far as is
# said, and what runs behind it is not taken for it.
. "$(dirname "$0")/lib.sh"
plan 24
need root
need bpf

target_start linger --wait
sonde_start latency -p "$target" linger_in --exit bracket --json -d 60 -i 60
cp "$err" "$work/said"
target_go
target_finish
sonde_finish
check 'latency ends with the target' status_is 0
check 'the target ends well' exited_well
check 'it is said that the ends are estimated' grep -q 'linger_in .*ends estimated' "$work/said"
check 'every call is counted, and over' holds 'd["calls"] == d["entries"] == t["calls"] ==
	d["ended"]["bracket"] and d["open"] == 0' "$out" "$truth"
check 'the median lies as near as is said' \
	holds 'abs(d["p50_ns"] - t["p50_ns"]) <= d["unsure_ns"]' "$out" "$truth"
check 'which is less than a tenth of it' holds 'd["unsure_ns"] < t["p50_ns"] / 10' "$out" "$truth"

target_start linger --wait
sonde_start record -p "$target" -s linger_in --exit bracket -d 60 -F 999 -o "$work/x.sonde"
target_go
target_finish
sonde_finish
check 'record ends with the target' status_is 0
sonde_run report "$work/x.sonde" --json
check 'recorded: every call is counted, and over' holds 'span()["calls"] == t["calls"] ==
	span()["ended"]["bracket"]' "$out" "$truth"
check 'recorded: the mean lies as near as is said' \
	holds 'abs(span()["mean_ns"] - t["mean_ns"]) <= span()["unsure_ns"]' "$out" "$truth"
check 'its samples are those of its own time on a CPU' holds 'abs(d["split"]["in"]["samples"] /
	d["samples"] - t["cpu_inside"]) < 0.03' "$out" "$truth"
sonde_run report "$work/x.sonde"
check 'the report says how far durations are known' grep -q 'known to ±' "$out"
sonde_run report "$work/x.sonde" --split 'dur > 0ms' --side in -o "$work/x.folded"
beside() { awk '{ n += $NF } /work_beside/ { b += $NF } END { exit !(n > 300 && b * 100 <= n) }' "$work/x.folded"; }
check 'none of its samples is of what ran beside it' beside

# counted NAME EXPRESSION MODE FUNCTION...
counted() {
	local name=$1 expression=$2 mode=$3
	shift 3
	target_start calls "$mode" --wait
	sonde_start latency -p "$target" --exit bracket --json -d 60 -i 60 "$@"
	target_go
	target_finish
	sonde_finish
	check "$name: the target ends well" exited_well
	check "$name: every call is counted by how it ended" "$python" -c "import json
t = json.load(open('$truth')); lines = [json.loads(l) for l in open('$out')]
for d in lines:
	f = t['functions'][d['place']]; e = d['ended']
	assert d['open'] == 0 and d['entries'] == sum(e.values()) == f['entries'] and ($expression), (f, d['entries'], e)
assert lines"
}

over='set(e) <= {"return", "bracket"} and e["return"] == 0'
over=${over//\"/\'}
counted recursion "$over" recurse fact
counted 'in each other' "$over" nested outer middle inner
counted 'jumped out of' "$over" longjmp f_push
counted 'ended threads' "set(e) <= {'return', 'bracket', 'exit'} and e['exit'] == f['exit']" exit f_push
counted 'forked children' "$over" fork f_push
counted 'another stack' "set(e) <= {'return', 'bracket', 'foreign'} and e['foreign'] > 0" signal f_push
finish
