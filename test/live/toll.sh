#!/bin/bash
# What the probes took by the samples in them is what the target finds that they took, where
# calls are far apart and cost several times their price.  Runs beside others.
. "$(dirname "$0")/lib.sh"
plan 5
need root
need bpf

watch() { # -F HZ
	target_start calls rare --wait --calls 5000 --work 1000 --seconds 60
	sonde_start record -p "$target" -s seldom "$@" --yes -q -d 50 -o "$work/x.sonde"
	target_go
	target_finish
	sonde_finish
	"$sonde" report "$work/x.sonde" --json >"$out"
}

# The interval is of 95 %: half as far again is one of 99.7 %.
took='(lambda f: f["returned"] * (f["watched_ns"] - f["alone_ns"]))(t["functions"]["seldom"])'
is_told='(lambda low, high, true: low - (high - low) / 4 <= true <= high + (high - low) / 4)(
	d["losses"]["probe_low_ns"], d["losses"]["probe_high_ns"], '$took')'

watch -F 997
check 'the target ends well' exited_well
check 'every call is counted' holds \
	'd["spans"][0]["returned"] == t["functions"]["seldom"]["returned"]' "$out" "$truth"
check 'the probes took what samples tell' holds "$is_told" "$out" "$truth"
check 'in all that the target ran they are told from nothing' holds \
	'd["losses"]["in_probes"] > 0 and d["losses"]["probe_low_ns"] > 0' "$out" "$truth"
dearer=$(value "$out" 'd["losses"]["probe_low_ns"] > d["losses"]["probe_ns"]')
"$sonde" report "$work/x.sonde" >"$err"
says_dearer() { # however it is wrapped
	tr -s '\n ' ' ' <"$err" | grep -q 'may be too long by up to .* cost, .*: .* to .* a call .* of a core'
}
if [ "$dearer" = True ]; then
	check 'and the report says that it is more than their price' says_dearer
else
	not_dearer() { ! says_dearer; }
	check 'and the report says nothing of it, as it is their price' not_dearer
fi
finish
