#!/bin/bash
# Live percentiles against those of a target that keeps every duration.
. "$(dirname "$0")/lib.sh"
plan 10
need root
need bpf

# What lies half a percentile lower or higher, and 2 % of it: where few durations are, one call
# in a hundred that an interrupt makes longer for one of the two clocks only moves a percentile.
quantiles='(lambda all: [(d[k], all(q)) for k, q in
	(("p50_ns", .5), ("p90_ns", .9), ("p95_ns", .95), ("p99_ns", .99))
	if not .98 * all(q - .005) <= d[k] <= 1.02 * all(q + .005)])(
	lambda q: t[int(q * len(t))]) == []'

for variant in push mov; do
	target_start calls steady --wait --variant $variant --calls 4000 --work 200000 --durations "$work/durations"
	sonde_start latency -p "$target" f_push --yes -d 20 -i 0.5 --json
	target_go
	target_finish
	sonde_finish
	check "$variant: ends when the target does" status_is 0
	check "$variant: the target ends well" exited_well
	check "$variant: every call is counted" \
		holds 'd["final"] and d["returned"] + d["ended"].get("untracked", 0) ==
		t["functions"]["f_push"]["returned"] and d["ended"].get("untracked", 0) <= 8' "$out" "$truth"
	sort -n "$work/durations" | paste -sd, | sed 's/.*/[&]/' >"$work/sorted"
	check "$variant: percentiles within 2 % of exact" holds "$quantiles" "$out" "$work/sorted"
done

target_start calls steady --wait --calls 100 --rate 50
sonde_start latency -p "$target" f_push --yes -i 0.2
target_go
sleep 0.8
kill -INT "$tracer"
sonde_finish
check 'Ctrl-C ends it well, with percentiles shown' \
	bash -c "[ $status = 0 ] && grep -q p95 '$out'"
target_finish
check 'and leaves the target alone' exited_well
finish
