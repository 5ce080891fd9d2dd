#!/bin/bash
# Programs with millions of symbols, and with symbols that are a trap: they are read beside the
# run, which hears its signals meanwhile; names are waited for at the end, and given up aloud.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/../live/lib.sh"
plan 15
need root
need bpf

# A hang, where reading takes a few seconds.
HANG=60
more_symbols() { # FILE COUNT [NAME_BYTES [first]]
	"$python" "$(dirname "$0")/big_symbols.py" "$targets/calls" "$work/$1" "${@:2}" &&
		chmod +x "$work/$1"
}
begin() { # FILE
	target_start "$work/$1" steady --work 100000 --rate 400 --calls 100000 --seconds 900 --wait
	target_go
}
stop() {
	end_now "$target"
	target_finish
}
# PREFIX, of a function that takes time
named() {
	sonde_run report "$work/x.sonde" --json
	holds "any(f['name'].startswith('$1') for f in d['functions'])" "$out"
}

check 'a program of 2 million symbols' more_symbols big 2000000
begin big
sonde_run record -p "$target" -F 499 -d 1 -o "$work/x.sonde"
check 'it is recorded' status_is 0
check 'and its functions have their names' named extra_
sonde_run record -p "$target" -F 499 -d 1 -o "$work/x.folded"
check 'a picture has them too' grep -q 'extra_' "$work/x.folded"
# the place is looked up, and so all symbols are read, before the run
timeout $HANG "$sonde" record -p "$target" -s f_push --yes -d 0.3 -o "$work/x.sonde" 2>"$err"
check 'a function of it is watched' says 'all accounted for'

# the second of two signals comes while they are being read
given_up() {
	local i
	for i in 1 2 3 4 5; do
		sonde_start record -p "$target" -F 499 -o "$work/x.sonde"
		sleep 0.3
		kill -INT "$tracer"
		sleep 0.2
		kill -INT "$tracer" 2>/dev/null
		sonde_finish
		says 'symbols of .*/big. were still being read' && return
	done
	return 1
}
check 'two signals end the wait, which is said' given_up
named_again() {
	"$sonde" report "$work/x.sonde" -o "$work/y.folded" && grep -q 'extra_' "$work/y.folded"
}
check 'what was recorded is named where its file is' named_again
mv "$work/big" "$work/elsewhere"
check 'and whole where it is not' "$sonde" report "$work/x.sonde" -o "$work/y.folded"
check 'but for the names' bash -c "! grep -q extra_ '$work/y.folded'"
stop

check 'a program of a million symbols of one long name' more_symbols trap 1000000 60000
check 'its functions are listed' bash -c "timeout $HANG '$sonde' list '$work/trap' f_push | grep -q f_push"
begin trap
timeout $HANG "$sonde" record -p "$target" -F 499 -d 1 -o "$work/x.sonde" 2>"$err"
check 'and it is recorded' test $? = 0
check 'with the names it has besides' named spin
stop

check 'the same with the long names first' more_symbols late 1000000 60000 first
begin late
sonde_run record -p "$target" -F 499 -d 1 -o "$work/x.sonde"
check 'that symbols were left out is said' says "symbols of '.*/late' were left out"
stop
finish
