#!/bin/bash
# sonde and all of its process group are killed at the worst moments: when the first of
# 10,000 probes has come, when the first has gone.  The target's code is as it was.
#
#	KILLS=200 test/compat/amid.sh	tries more often
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/../live/lib.sh"
plan 5
need root
need bpf

KILLS=${KILLS:-3}
# Late is no fault, if it is not for good.
LIMIT_MSEC=8000

target_start many --calls 1000000 --rate 1 --seconds 900 --wait
target_go
for moment in attaching detaching; do
	kills() {
		"$python" "$(dirname "$0")/kills.py" "$target" "$KILLS" "$LIMIT_MSEC" $moment "$sonde" \
			record -p "$target" -s 'many_*' --yes -d 600 -o "$work/killed.sonde" >"$out"
	}
	check "sonde is killed $KILLS times amid $moment" kills
	check "$moment: code is as before after each" \
		holds "d['good'] == d['times'] == d['probed'] == $KILLS" "$out"
	echo "# $(cat "$out")"
done
check "the target goes on" alive "$target"
end_now "$target"
finish
