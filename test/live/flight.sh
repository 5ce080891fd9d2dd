#!/bin/bash
# Calls of a C++ program that are left by exceptions, by the end of their thread, or
# jumped out of: each is counted by the reason for which it ended.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/lib.sh"
plan 34
need root
need bpf
[ -x "$targets/flight" ] || skip_rest 'no C++ compiler'

functions='descend hop mend slip again catcher'

# left MODE 'more places' [OPTION...]
left() {
	local spans=() place mode=$1 more=$2
	shift 2
	for place in $functions $more; do spans+=(-s "$place"); done
	"$targets/flight" "$mode" "$@" </dev/null | sed '/^ready/d' >"$work/bare"
	target_start flight "$mode" "$@" --wait
	set -- "$mode${*:+ in a fiber}" "$more"
	sonde_start record -p "$target" "${spans[@]}" -F 99 -d 60 --yes -o "$work/x.sonde"
	target_go
	target_finish
	sonde_finish
	check "$1${2:+, with $2}: the target prints what it prints alone" cmp "$work/bare" "$truth"
	sonde_run report "$work/x.sonde" --json
	check "$1${2:+, with $2}: every call is counted by how it ended" holds '
		all(span(f)["calls"] == c["entries"] and span(f)["open"] == 0 and
		    all(n == c.get(reason, 0) for reason, n in span(f)["ended"].items())
		    for f, c in t["functions"].items())' "$out" "$truth"
}

for mode in throw plain inside rethrow nested exit cancel longjmp; do
	left $mode ''
done
for mode in throw plain inside rethrow nested; do
	left $mode '' --variant fiber
done
# the places that tell of it may be watched themselves
left nested '__cxa_begin_catch'
left rethrow '__cxa_end_catch'
check 'what catches is counted too' holds 'span("__cxa_end_catch")["calls"] > 0' "$out"

target_start flight throw --wait --calls 100
sonde_start latency -p "$target" --yes --json -d 60 -i 60 mend
target_go
target_finish
sonde_finish
check 'latency: a function that runs while others are left returns' \
	holds 'd["entries"] == d["ended"]["return"] == t["functions"]["mend"]["entries"]' "$out" "$truth"
# the same by name, in the middle of a sampled call
target_start flight throw --wait --work 600000
sonde_start record -p "$target" -s descend -F 499 -d 60 --yes -o "$work/x.sonde"
target_go
target_finish
sonde_finish
sonde_run report "$work/x.sonde"
check 'the report names the reason' grep -q 'throw' "$out"
sonde_run report "$work/x.sonde" --json
check 'and the sampled calls that were left so are true ones' \
	holds 'span()["ended"]["throw"] == t["functions"]["descend"]["throw"] and d["samples"] > 100' "$out" "$truth"
finish
