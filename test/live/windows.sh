#!/bin/bash
# A part of a recording: its calls and its samples are of the same time, and that is said.
. "$(dirname "$0")/lib.sh"
plan 10
need root
need bpf

# Each thread spends nearly all of its time in calls of half a millisecond.
"$sonde" record -q -s serve -F 997 --yes -o "$work/x.sonde" -- \
	"$targets/calls" planted --work 500000 --variant same --calls 8000 --seconds 60 \
	>"$work/truth" 2>"$work/err"

# look WINDOW...: the report on it, as JSON
look() {
	sonde_run report "$work/x.sonde" "$@" --json
	cp "$out" "$work/look.json"
}

look
check 'all calls are counted' holds 'd["spans"][0]["calls"] == 16000' "$work/look.json"
check 'nothing is said of another window' holds '"asked_ns" not in d["window"]' "$work/look.json"
for last in 1500 350 60; do
	look --last ${last}ms
	# of so few samples and calls each is as good as a tenth
	check "the last $last ms: calls last as long as their samples are many" holds \
		'0.75 < d["spans"][0]["calls"] * d["spans"][0]["mean_ns"] /
		sum(f["self_in_ns"] for f in d["functions"]) < 1.33' "$work/look.json"
	check "the last $last ms: widened by no more than a step" holds \
		"$last <= (d['window']['to_ns'] - d['window']['from_ns']) / 1e6 < $last + 250 and
		d['window'].get('asked_ns', $last * 1000000) == $last * 1000000" "$work/look.json"
done
sonde_run report "$work/x.sonde" --last 350ms
check 'that it is longer than asked for is said' grep -qE ' instead of 350 ms at 997 Hz' "$out"

# How long it looks is as long as it was told to, whatever it has to do at its end.
shortest=99
for ((i = 0; i < 3; i++)); do
	"$sonde" record -q -s serve -d 1 -F 997 --yes -o "$work/d.sonde" -- \
		"$targets/calls" planted --work 100000 --variant same --calls 20000 --seconds 9 \
		>"$work/truth" 2>"$work/err"
	sonde_run report "$work/d.sonde" --json
	shortest=$(python3 -c 'import json, sys
w = json.load(open(sys.argv[1]))["window"]
print(min(float(sys.argv[2]), (w["to_ns"] - w["from_ns"]) / 1e9))' "$out" "$shortest")
done
check "one second is one second ($shortest s)" \
	awk "BEGIN { exit !($shortest >= 1 && $shortest < 1.1) }"
finish
