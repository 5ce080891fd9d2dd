#!/bin/bash
# A target that becomes another program: what is watched by name is watched there, too, and
# how late is said.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/lib.sh"
plan 15
need root
need bpf

# The first program is told apart by its calls, which all are seen.
late='sum(t["by_ms"][1 + d["losses"]["programs_latest_ns"] // 1000000:])'

# reborn NAME EXIT ARGS...: three results.
reborn() {
	local name=$1 exit=$2
	shift 2
	target_start reborn --wait "$@"
	sonde_start record -p "$target" -s reborn_call --exit "$exit" --yes -o "$work/x.sonde"
	target_go
	target_finish
	sonde_finish
	cp "$err" "$work/said"
	sonde_run report "$work/x.sonde" --json
	check "$name: the target ends well" exited_well
	check "$name: no call is missing after the time that is said" \
		holds "$late <= span()['calls'] - t['before'] <= t['after']" "$out" "$truth"
	check "$name: they are accounted for" holds 'balanced(span())' "$out"
}

# long enough that a busy machine is late for a part of it only
reborn 'by exits' auto --calls 1500
check 'how late is said' grep -q '1 new program watched from at most .*s after the exec' "$work/said"
check 'most of its calls are seen' \
	holds 'span()["calls"] - t["before"] > 0.7 * t["after"]' "$out" "$truth"
check 'the samples of both are in the calls' holds \
	'near(sum(f["self_in_ns"] + f["self_rest_ns"] for f in d["functions"] if f["name"] == "spin"),
		sum(f["self_ns"] for f in d["functions"] if f["name"] == "spin"), 0.01)' "$out"
reborn 'by hooks' hook
reborn 'again' auto --variant again
check 'again: only the first exec has a gap' holds 'd["losses"]["programs"] == 1' "$out"

# What cannot be watched there is said, and the rest goes on.
target_start reborn --wait
sonde_start latency -p "$target" reborn_helper --json -d 20
target_go
target_finish
sonde_finish
check 'two of that name there: it is said' says 'begun another program.*any of 2 functions'
check 'and the calls before are all there' holds 'd["entries"] == t["before"]' "$out" "$truth"
finish
