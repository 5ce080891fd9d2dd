#!/bin/bash
# The price of a call is one number: what list says before, what record says when it
# watches, and what the target finds that its calls take more.
. "$(dirname "$0")/lib.sh"
plan 7
need root
need bpf

# What a watched call of part took more: most of them, as the target finds.
more='(lambda f: f["watched_ns"] - f["alone_ns"])(d["functions"]["part"])'

agree() { # ONE OTHER
	echo "$1 ns, $2 ns"
	[ "$1" -gt 0 ] && [ $((100 * $1)) -ge $((80 * $2)) ] && [ $((100 * $1)) -le $((125 * $2)) ]
}

# A machine is slow for longer than sonde looks: the least of all runs until there were three
# in which most calls cost about what the quickest did, six at most.
steady='(lambda f: f["watched_ns"] - f["alone_ns"] <= 1.2 * (f["quick_ns"] - f["alone_ns"]))(
	d["functions"]["part"])'
least() { sort -n "$1" | head -n 1; }
compare() { # NAME ONE OTHER: where the machine was steady
	if [ "$runs" -gt 0 ]; then check "$1" agree "$2" "$3"; else
		skip "$1" 'what probes cost changes by more than a fifth here'; fi
}

for ends in hook ret; do
	: >"$work/listed" >"$work/told" >"$work/found"
	runs=0
	for attempt in 1 2 3 4 5 6; do
		[ $runs -lt 3 ] || break
		target_start calls alone --wait --calls 6000 --work 2000 --seconds 60
		sonde_run list -p "$target" part --json
		value "$out" 'd["price_ns"]' >>"$work/listed"
		sonde_start record -p "$target" -s part --exit "$ends" --yes -d 30 -o "$work/x.sonde"
		target_go
		target_finish
		sonde_finish
		"$sonde" report "$work/x.sonde" --json >"$out"
		value "$out" 'd["spans"][0]["cost_ns"]' >>"$work/told"
		value "$truth" "$more" >>"$work/found"
		if [ "$(value "$truth" "$steady")" = True ]; then runs=$((runs + 1)); fi
	done
	check "$ends: the target ends well" exited_well
	told=$(least "$work/told") listed=$(least "$work/listed")
	found=$(least "$work/found")
	compare "$ends: what record says is what the target finds" "$told" "$found"
	# by itself sonde takes the exits
	[ $ends = hook ] || compare "$ends: list says the same" "$listed" "$told"
done

# Whether it is too dear does not depend on when one asks.
answers=$work/answers
: >"$answers"
target_start calls alone --wait --calls 12 --work 2000 --seconds 60
for i in 1 2 3 4 5 6 7 8 9 10; do
	sonde_run record -p "$target" -s part --exit ret -d 0.1 -o "$work/y.sonde"
	echo "$status $(grep -oE '[0-9.]+ .s a call' "$err" | head -n 1)" >>"$answers"
done
target_go
target_finish
same_answer() { cat "$answers"; [ "$(cut -d ' ' -f 1 "$answers" | sort -u | wc -l)" = 1 ]; }
# Slow phases may last for seconds: nothing parts 9.8 from 10.1 us by looking at it.
at_the_limit() { grep -qE '^[0-9] (9|10)\.' "$answers"; }
says_prices() { cat "$answers"; [ "$(grep -cE '^[0-9] [0-9.]+ .s a call' "$answers")" = 10 ]; }
check 'ten times, it says what it costs' says_prices
if at_the_limit; then
	skip 'and whether it is too dear is the same' "it costs about as much as the limit here"
else
	check 'and whether it is too dear is the same' same_answer
fi
finish
