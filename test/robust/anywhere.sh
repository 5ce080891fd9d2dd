#!/bin/bash
# sonde or its target is ended at random moments, in every phase: nothing hangs, no command is
# left, no file is harmed.
#
#	KILLS=200 test/robust/anywhere.sh	tries more often
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/../live/lib.sh"
plan 6
need root
need bpf

KILLS=${KILLS:-16}
mkdir "$work/d"
"$sonde" record -q -d 0.2 -o "$work/d/x.sonde" -- "$targets/calls" steady --rate 100 --calls 100 \
	>/dev/null 2>"$err"
anywhere() {
	"$python" "$(dirname "$0")/anywhere.py" "$sonde" "$targets/calls" "$work/d" "$KILLS" \
		"${SEED:-$$}" >"$out" 2>"$work/what"
}
check "one of them is ended, $KILLS times" anywhere
none() { holds "d['$1'] == 0" "$out" || { cat "$work/what"; return 1; }; }
check 'nothing hangs' none hangs
check 'no command is left, and no target stands still' none left
check 'no file is harmed' none harmed
check 'none lies beside it' none strays
check 'some were attaching, some had probes' holds 'd["attaching"] > 0 and d["watching"] > 0' "$out"
echo "# $(cat "$out")"
finish
