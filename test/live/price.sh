#!/bin/bash
# The price of a call is one number: what list says before, what record says when it
# watches, and what the target finds that its calls take more.
. "$(dirname "$0")/lib.sh"
plan 7
need root
need bpf

# What a watched call of part took more, as the target finds: the quickest ones, as the price is
# the least that was found.
more='(lambda f: f["quick_ns"] - f["alone_ns"])(d["functions"]["part"])'

# A machine is slow for seconds at a time, and what was found before need not be what it costs
# a moment later: each run is one pair, most of them have to agree. Runs in which most calls
# cost more than the quickest ones tell nothing: five of the others, eight runs at most.
steady='(lambda f: f["watched_ns"] - f["alone_ns"] <= 1.2 * (f["quick_ns"] - f["alone_ns"]))(
	d["functions"]["part"])'
agree() { # PAIRS: the middle one of their ratios is within a quarter
	awk '{ print "# " $1 " ns, " $2 " ns" }' "$1"
	awk '$1 > 0 && $2 > 0 { print $1 / $2 }' "$1" | sort -n | awk '
		{ at[NR] = $1 }
		END { of = at[int((NR + 1) / 2)]; exit !(NR >= 3 && of >= 0.8 && of <= 1.25) }'
}
compare() { # NAME PAIRS: where the machine was steady
	if [ "$runs" -ge 3 ]; then check "$1" agree "$2"; else
		skip "$1" 'what probes cost changes by more than a fifth here'; fi
}

for ends in hook ret; do
	found=$work/found listed=$work/listed
	: >"$found" >"$listed"
	runs=0
	for attempt in 1 2 3 4 5 6 7 8; do
		[ $runs -lt 5 ] || break
		target_start calls alone --wait --calls 6000 --work 2000 --seconds 60
		# by itself sonde takes the exits: that is what it lists
		[ $ends = hook ] || sonde_run list -p "$target" part --json
		list_ns=$([ $ends = hook ] || value "$out" 'd["price_ns"]')
		sonde_start record -p "$target" -s part --exit "$ends" --yes -d 30 -o "$work/x.sonde"
		target_go
		target_finish
		sonde_finish
		[ "$(value "$truth" "$steady")" = True ] || continue
		"$sonde" report "$work/x.sonde" --json >"$out"
		told_ns=$(value "$out" 'd["spans"][0]["cost_ns"]')
		echo "$told_ns $(value "$truth" "$more")" >>"$found"
		echo "$list_ns $told_ns" >>"$listed"
		runs=$((runs + 1))
	done
	check "$ends: the target ends well" exited_well
	compare "$ends: what record says is what the target finds" "$found"
	[ $ends = hook ] || compare "$ends: list says the same" "$listed"
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
