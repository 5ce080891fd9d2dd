#!/bin/bash
# Children of the target: watched soon after they were forked, each as long as it lives; how
# soon is said, and it is true.  Of those that have ended nothing is left.
. "$(dirname "$0")/lib.sh"
plan 13
need root
need bpf

# Links and the like that sonde has open.
held() { find "/proc/$tracer/fd" -lname 'anon_inode:*' 2>/dev/null | wc -l; }
look() {
	left=$(($(held) - before))
	most=$((left > most ? left : most))
}

# watched CHILDREN RATE MICROSECONDS: the recording's answer is in $out
watched() {
	target_start family --wait --variant stay --calls "$1" --rate "$2" --work "$3"
	sonde_start record -p "$target" -s family_call --yes -F 199 -d 60 -o "$work/x.sonde"
	before=$(held)
	most=0
	target_go
	while ! grep -q children "$truth"; do
		look
		sleep 0.1
	done
	for ((i = 0; i < 100; i++)); do
		look
		[ "$left" -gt 0 ] || break
		sleep 0.1
	done
	target_go
	target_finish
	sonde_finish
	cp "$err" "$work/said"
	sonde_run report "$work/x.sonde" --json
}

watched 40 20 30000
check 'children: the target ends well' exited_well
check 'children: every one is told of' \
	holds 'd["losses"]["children"] == t["children"] and not d["losses"]["children_unwatched"]' \
	"$out" "$truth"
check 'children: no call is missing after the time that is said' holds \
	'sum(t["by_100us"][1 + d["losses"]["children_latest_ns"] // 100000:]) <= span()["calls"]' \
	"$out" "$truth"
check 'children: none is counted twice' holds 'span()["calls"] <= t["calls"]' "$out" "$truth"
check 'children: most of their lives is seen' \
	holds 'span()["calls"] > 0.4 * t["calls"]' "$out" "$truth"
check 'children: their calls are accounted for' holds 'balanced(span())' "$out"
# a call that begins where only the entry is watched so far would seem to end otherwise
check 'children: they all return' \
	holds 'span()["ended"]["return"] == span()["calls"]' "$out"
check 'children: it is said how soon' \
	grep -q '40 children watched from at most .*s after the fork' "$work/said"

watched 300 150 1000
check 'short lives: the target ends well' exited_well
check 'short lives: every one is told of' \
	holds 'd["losses"]["children"] == t["children"]' "$out" "$truth"
check 'short lives: their calls are accounted for' \
	holds 'balanced(span()) and span()["calls"] <= t["calls"]' "$out" "$truth"
# of the two or more links of each
check "short lives: little of them is held at a time ($most)" \
	test "$most" -gt 0 -a "$most" -lt 150
check "short lives: nothing of them is left open ($left)" test "$left" -eq 0
finish
