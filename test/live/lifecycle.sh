#!/bin/bash
# However sonde ends, the target goes on unharmed and what was gathered is kept;
# however the target ends, the recording does too.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/lib.sh"
plan 27
need root
need bpf

recorded() {
	sonde_run report "$work/x.sonde" --json
	[ "$status" = 0 ] && holds "$1" "$out"
}

# Each call has to come back with what it came back with alone: counts and status.
unharmed() {
	exited_well && holds 'd["functions"]["f_push"]["entries"] ==
		d["functions"]["f_push"]["returned"] == 2 * d["calls"]' "$truth"
}

for signal in INT TERM; do
	target_start calls steady --wait --rate 400 --calls 1200 --work 300000
	sonde_start record -p "$target" -s f_push --yes -F 199 -d 30 -o "$work/x.sonde"
	target_go
	sleep 1
	kill -$signal $tracer
	sonde_finish
	check "SIG$signal: ends well" status_is 0
	target_finish
	check "SIG$signal: target unharmed" unharmed
	check "SIG$signal: recording is whole" \
		recorded 'not d["cut"] and d["samples"] > 0 and balanced(span())'
done

for try in 1 2 3 4 5 6; do
	target_start calls steady --wait --rate 400 --calls 700 --work 300000
	rm -f "$work/x.sonde"
	sonde_start record -p "$target" -s f_push --yes -F 199 -d 30 -o "$work/x.sonde"
	target_go
	sleep "0.$((RANDOM % 9))$((RANDOM % 9))"
	kill -KILL $tracer
	sonde_finish 2>/dev/null
	target_finish
	check "SIGKILL $try: target unharmed" unharmed
done
target_start calls steady --wait --rate 400 --calls 1000 --work 300000
sonde_start record -p "$target" -s f_push --yes -F 199 -d 30 -o "$work/x.sonde"
target_go
# until a tick or two are written, however long they take
for ((i = 0; i < 100; i++)); do
	[ "$(stat -c %s "$work/x.sonde")" -gt 2000 ] && break
	sleep 0.1
done
kill -KILL $tracer
sonde_finish 2>/dev/null
check 'SIGKILL: what was gathered can be read' recorded 'd["cut"] and d["samples"] > 0'
target_finish
check 'SIGKILL: target unharmed' unharmed

target_start calls steady --wait --rate 400 --calls 800 --work 300000
sonde_start record -p "$target" -s f_push --yes -d 30 -o "$work/x.sonde"
target_go
sleep 0.5
kill -KILL "$target"
target_finish
sonde_finish
check 'target killed: the recording ends' status_is 0
check 'target killed: calls are accounted for' recorded 'balanced(span()) and span()["calls"] > 0'

# Two at once on one function count the same.
target_start calls steady --wait --rate 500 --calls 800 --work 100000
sonde_start record -p "$target" -s f_push --yes -d 30 -o "$work/one.sonde"
first=$tracer
out=$work/out2 err=$work/err2 sonde_start record -p "$target" -s f_push --yes -d 30 -o "$work/two.sonde"
target_go
target_finish
sonde_finish
wait "$first"
check 'two at once: target unharmed' unharmed
for one in one two; do
	sonde_run report "$work/$one.sonde" --json
	check "two at once: $one counts every call" \
		holds 'span()["calls"] == span()["ended"]["return"] == 1600' "$out"
done

# A command of our own: its output and status are kept.
sonde_run record -s f_push --yes -d 20 -o "$work/x.sonde" -- "$targets/calls" steady --calls 3000 --work 200000
check 'command: exit status 0 is kept' status_is 0
cp "$out" "$work/command.out"
check 'command: its output is kept' grep -q '"entries":6000' "$work/command.out"
check 'command: every call is counted' recorded 'span()["calls"] == 6000 and balanced(span())'
sonde_run record -d 20 -o "$work/x.sonde" -- sh -c 'exit 7'
check 'command: exit status 7 is kept' status_is 7

# Children that are forked while we watch are looked at too.
sonde_run record -F 199 -d 20 -o "$work/x.sonde" -- \
	sh -c "$targets/calls steady --calls 1500 --work 200000; $targets/calls steady --calls 1500 --work 200000; exit 3"
check 'children: exit status is kept' status_is 3
check 'children: both were sampled' recorded 'd["target"]["processes"] >= 3 and d["samples"] > 20'
check 'children: by their own names' recorded 'd["functions"][0]["name"] == "spin"'

# Samples only.
target_start calls steady --wait --calls 4000 --work 200000
sonde_start record -p "$target" -F 199 -d 20 -o "$work/x.sonde"
target_go
target_finish
sonde_finish
check 'samples without a span name the hot function' \
	recorded 'd["functions"][0]["name"] == "spin" and d["samples"] > 100'
finish
