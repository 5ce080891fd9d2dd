#!/bin/bash
# entries = ends by reason + still open, exactly, however calls end; and the target
# does the same as without sonde.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/lib.sh"
plan 105
need root
need bpf

# --yes: what is single-stepped is dear on some machines, and meant here.
# accounted NAME 'places' 'what else holds' TARGET ARGS...: three results each.
accounted() {
	local name="$way: $1" places=$2 more=$3 spans=() place
	shift 3
	target_start "$@" --wait
	for place in $places; do spans+=(-s "$place"); done
	sonde_start record -p "$target" "${spans[@]}" --exit $way -F 99 -d 30 --yes -o "$work/x.sonde"
	target_go
	target_finish
	sonde_finish
	check "$name: the target is unharmed" exited_well
	check "$name: the recording ends with the target" status_is 0
	sonde_run report "$work/x.sonde" --json
	if [ ! -s "$out" ]; then
		not_ok "$name: accounts for every call" "$(cat "$err")"
		return
	fi
	check "$name: accounts for every call" holds "all(balanced(s) for s in d['spans']) and
		all(ends['open'] == 0 for ends in d['spans']) and ($more)" "$out" "$truth"
}

# While the process changes its maps nobody can say whose stack it is on.  The first call of
# a thread that nothing could be found out about till then is not hooked (untracked:
# counted, but not timed); with probes at exits it does not matter.
# The kernel hooks at most 64 returns of a thread; sonde keeps 64 open calls.
hook_most='max(2, c["entries"] / 1000)'
ret_most=0
entered='all(span(f)["calls"] == c["entries"] for f, c in t["functions"].items())'

for way in hook ret; do
	# what is deep, or on a signal stack, cannot be hooked
	most=${way}_most deep=entered aside=entered
	[ $way = ret ] && deep=same aside=same
	same='all(span(f)["calls"] == c["entries"] and
		c["returned"] - span(f)["ended"]["return"] == span(f)["ended"]["untracked"] <= '"${!most}"'
		for f, c in t["functions"].items())'

	accounted push f_push "$same" calls steady
	accounted mov f_mov 'span("f_mov")["calls"] == t["functions"]["f_push"]["entries"]' \
		calls steady --variant mov
	accounted recurse fact "$same" calls recurse
	accounted recurse-60 fact "${!deep}" calls recurse --depth 60
	accounted recurse-100 fact "$entered" calls recurse --depth 100
	accounted mutual 'even odd' "$same" calls mutual
	accounted nested 'outer middle inner' "$same" calls nested
	accounted longjmp f_push "$same and span()['ended']['longjmp'] == 100" calls longjmp
	accounted thread-exit f_push "$same and span()['ended']['exit'] == 100 and t['cleanups'] == 100" \
		calls exit
	accounted fork f_push "$same" calls fork
	accounted short-threads f_push "$same" calls threads
	accounted threads-at-once f_push "$same" calls threads --threads 6
	accounted altstack-high f_push "${!aside}" calls signal --variant high
	accounted altstack-low f_push "${!aside}" calls signal --variant low
	accounted 'busy' f_push "$same" calls steady --work 100 --calls 100000
	accounted 'many' many_0042 'span()["calls"] == t["calls"] == 1000' many --calls 1000

	# Exec: the image comes back under the same probe, or is said to be gone.
	accounted exec f_push 'span()["ended"]["exec"] == 1 and span()["calls"] in (50, 70)' calls exec
done

# What is open when sonde stops, while threads end, three a millisecond: each call is counted once.
target_start calls exit --variant asleep --calls 1000000 --seconds 300 --wait
target_go
for _ in $(seq 10); do
	sonde_run latency -p "$target" f_push -d 0.3 --yes --json
	tail -1 "$out"
done | "$python" -c 'import json, sys; print(json.dumps([json.loads(l) for l in sys.stdin]))' \
	> "$work/stops.json"
check 'stopped amid ends: the target is unharmed' alive "$target"
end_now "$target"
target_finish
check 'stopped amid ends: calls were open' holds \
	'sum(l["ended"].get("detached", 0) for l in d) > 500' "$work/stops.json"
check 'stopped amid ends: accounts for every call' holds \
	'len(d) == 10 and all(balanced(l) for l in d)' "$work/stops.json"
finish
