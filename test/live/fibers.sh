#!/bin/bash
# Calls on coroutines' stacks: many of them open at once, in no order, going on on other
# threads than they began on.  Each is timed and has its own samples.
. "$(dirname "$0")/lib.sh"
plan 23
need root
need bpf

every='all(span(f)["calls"] == c["entries"] and span(f)["open"] == 0 and
	   all(n == c.get(reason, 0) for reason, n in span(f)["ended"].items())
	   for f, c in t["functions"].items())'

# watched NAME MODE [OPTION...]
watched() {
	local name=$1
	shift
	"$targets/fibers" "$@" </dev/null | sed '/^ready/d; s/"wall_ns.*//' >"$work/bare"
	target_start fibers "$@" --wait
	sonde_start record -p "$target" -s serve -s fetch -s poll_once --yes -F 499 -d 60 -o "$work/x.sonde"
	target_go
	target_finish
	sonde_finish
	check "$name: the target prints what it prints alone" cmp "$work/bare" <(sed 's/"wall_ns.*//' "$truth")
	sonde_run report "$work/x.sonde" --json
	check "$name: every call is counted by how it ended" holds "$every" "$out" "$truth"
}

watched turns turns
watched 'three threads' roam --threads 3
watched 'jumped out of' leave
watched abandoned abandon
check 'abandoned: there were such calls' \
	holds 't["functions"]["serve"]["exit"] == 50 and t["functions"]["fetch"]["exit"] > 0' "$out" "$truth"

# share SIDE FUNCTION: how many of the side's samples of fibers' work are in FUNCTION
share() {
	sonde_run report "$work/x.sonde" --split 'dur > 0ms' --side "$1" -o "$work/x.folded"
	awk -v f="$2" '/burn_/ { n += $NF; if (index($0, f)) in_f += $NF }
		END { printf "%d %d\n", in_f, n }' "$work/x.folded"
}
only() { share "$1" "$2" | { read -r in_f n; [ "$n" -gt 100 ] && [ "$in_f" = "$n" ] || { echo "$in_f of $n"; false; }; }; }

for mode in 'turns --threads 1' 'roam --threads 3'; do
	target_start fibers $mode --wait --work 400000 --calls 20
	sonde_start record -p "$target" -s fetch --yes -F 999 -d 60 -o "$work/x.sonde"
	target_go
	target_finish
	sonde_finish
	check "${mode%% *}: samples inside are of that call's own work" only in burn_fetched
	check "${mode%% *}: what ran while it stood still is outside" only out burn_served
	sonde_run report "$work/x.sonde" --json
	check "${mode%% *}: none is lost" holds 'd["losses"]["ring"] == 0 and balanced(span())' "$out"
done

# one in the other
target_start fibers turns --wait --work 400000 --calls 20
sonde_start record -p "$target" -s serve -s fetch -s poll_once --yes -F 999 -d 60 -o "$work/x.sonde"
target_go
target_finish
sonde_finish
sonde_run report "$work/x.sonde" --split 'serve.dur > 0ms' --side out -o "$work/x.folded"
check 'nested: the split is answered' status_is 0
check 'nested: what is in the inner one is in the outer one' bash -c "! grep burn_ '$work/x.folded'"

# durations: a call lasts while its fiber stands still, so those of each fiber make up its
# life.  Sums of the least and the most that a duration in each bucket can be: a median is
# more than its share of the whole where the machine was slow for more than half of the calls
target_start fibers turns --wait --work 100000 --calls 20
sonde_start latency -p "$target" --yes --json -d 60 -i 60 serve
target_go
target_finish
sonde_finish
check 'a call lasts while others run' \
	holds 'd["entries"] == d["ended"]["return"] == 1000 and
		sum(low * n for low, high, n in d["histogram"]) < 50 * t["wall_ns"] and
		sum(high * n for low, high, n in d["histogram"]) > 50 * 0.8 * t["wall_ns"]' "$out" "$truth"

# sonde goes while calls are open: of fifty fibers one may be between two calls.  The target
# stands still meanwhile, or calls would return before the last probe is gone
target_start fibers turns --wait --work 400000 --calls 40
sonde_start record -p "$target" -s serve --yes -F 99 -d 60 -o "$work/x.sonde"
target_go
sleep 1
kill -STOP "$target"
stands "$target"
kill -INT "$tracer"
sonde_finish
kill -CONT "$target"
target_finish
check 'sonde ends first: the target goes on' exited_well
sonde_run report "$work/x.sonde" --json
check 'sonde ends first: what was open is counted' \
	holds 'balanced(span()) and span()["ended"]["detached"] + span()["open"] >= 49' "$out"

# a handler on a signal stack, in the middle of a call
target_start calls signal --wait --work 400000 --calls 200
sonde_start record -p "$target" -s f_push --exit ret --yes -F 999 -d 60 -o "$work/x.sonde"
target_go
target_finish
sonde_finish
sonde_run report "$work/x.sonde" --json
check 'a signal stack: every call is counted' \
	holds 'span()["ended"]["return"] == t["functions"]["f_push"]["entries"] == 400' "$out" "$truth"
sonde_run report "$work/x.sonde" --split 'dur > 0ms' --side out -o "$work/x.folded"
check 'a signal stack: all its work is in calls' bash -c "! grep -E '(^|;)spin ' '$work/x.folded'"
sonde_run report "$work/x.sonde" --split 'dur > 0ms' --side in -o "$work/x.folded"
check 'a signal stack: and was seen' grep -q 'interrupt.*on_signal;f_push' "$work/x.folded"
finish
