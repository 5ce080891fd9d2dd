#!/bin/bash
# Durations are those that calls would have without probes: of short calls, and of calls
# around eight watched ones, beside twins of the same code that nobody watches.
. "$(dirname "$0")/lib.sh"
plan 20
need root
need bpf

# What probes cost here and now the target tells itself (more: watched, less alone).  What
# is taken off for them was measured elsewhere, and of calls inside it is the least that was
# found there: that can be compared where probes cost about the same all the time, which
# the target tells as well (least_watched_ns).
# Each is an expression over s, of the report, and t, of the target.
lasts_as_alone='-.05 * (alone + more) <= s["p50_ns"] - alone <= .05 * alone + .3 * more'
own_is_said='.02 * more < s["probed_ns"] < more'
all_is_said='.6 * more < s["probed_ns"] < 1.2 * more'

of() { # FUNCTION EXPRESSION
	holds "(lambda s, alone, more: $2)(
		next(s for s in d['spans'] if s['function'] == '$1'),
		t['functions']['$1']['alone_ns'],
		t['functions']['$1']['watched_ns'] - t['functions']['$1']['alone_ns'])" "$out" "$truth"
}

says_no() { ! grep -- "$1" "$err"; }

watch() { # END
	target_start calls alone --wait --calls 12000 --work 2000 --seconds 60
	sonde_start record -p "$target" -s whole -s part --exit "$1" --yes -q -d 50 -o "$work/$1.sonde"
	target_go
	target_finish
	sonde_finish
}

steady() {
	holds '(lambda f: f["watched_ns"] - f["alone_ns"]
		<= 1.25 * (t["least_watched_ns"] - f["alone_ns"]))(t["functions"]["whole"])' \
		"$truth" "$truth" >/dev/null
}

as_alone() { of part "$lasts_as_alone" && of whole "$lasts_as_alone"; } >/dev/null

# Of calls around others; where the machine was not steady it says so.
of_whole() { # NAME EXPRESSION
	if steady; then check "$1" of whole "$2"; else
		skip "$1" "what probes cost changes by more than a quarter here"; fi
}

# Prices are measured before the calls are: a machine that is slower or faster by then, or
# changes amid them, is watched again.
for ends in hook ret; do
	for attempt in 1 2 3; do
		watch $ends
		"$sonde" report "$work/$ends.sonde" --json >"$out"
		if steady && as_alone; then break; fi
	done
	check "$ends: the target ends well" exited_well
	check "$ends: every call is counted" holds \
		'all(s["returned"] == t["functions"][s["function"]]["returned"] for s in d["spans"])' \
		"$out" "$truth"
	check "$ends: a call of two microseconds lasts as long as alone" of part "$lasts_as_alone"
	of_whole "$ends: and so does one around eight of them" "$lasts_as_alone"
	check "$ends: what was taken off for its own probes is said" of part "$own_is_said"
	of_whole "$ends: and for those of calls inside" "$all_is_said"
	check "$ends: samples that fell into probes are counted" holds \
		'd["losses"]["in_probes"] > .02 * d["samples"]' "$out" "$truth"
	"$sonde" report "$work/$ends.sonde" -o - --format folded >"$err"
	check "$ends: the others' stacks are shown" says ';whole;part;spin'
	check "$ends: and no trap of a probe" \
		says_no 'asm_exc_int3\|asm_exc_debug\|sys_uretprobe\|sonde probe'
	"$sonde" report "$work/$ends.sonde" >"$err"
	check "$ends: also to people" says 'durations leave out what probes took of them: .* a call'
done
finish
