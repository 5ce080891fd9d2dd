#!/bin/bash
# Who ends a wait, and where that one is then.  Runs alone: beside others threads wait for a CPU,
# too.
. "$(dirname "$0")/lib.sh"
plan 12
need root
need bpf

# stacks ARGS...: as stacks_hold reads them
stacks() {
	sonde_run report "$work/x.sonde" -o "$work/x.folded" --side all --weight time "$@"
}

target_start waits --wait --variant pipe,network,poll,lock,sleep,compute --calls 900 \
	--work 4000000 --seconds 60
sonde_start record -p "$target" -o "$work/x.sonde" -s handle --yes -e wall -F 499
target_go
sonde_finish
target_finish
check 'it is recorded' status_is 0
stacks
while read -r reason wait; do
	check "in do_$reason it waits until somebody writes" stacks_hold "
		waits = time('do_$reason', '[waits: $wait]')
		woken = time('do_$reason', '[waits: $wait]', '[woken by refresher]',
			'refresher [waker]', '__GI___libc_write [waker]')
		assert waits > 0.7 * t['$reason']['ns'], (waits, t)
		assert woken > 0.97 * waits, (woken, waits)" "$work/x.folded"
done <<'END'
pipe pipe or terminal
network network
poll any of its files
END
check 'of a lock who has it is told, not who gives it back' stacks_hold '
	held = time("do_lock", "[waits: mutex cache_mu]", "[held by refresher]")
	assert held > 0.9 * time("do_lock", "[waits: mutex cache_mu]")
	assert time("[held by refresher]", "[woken by refresher]") == 0' "$work/x.folded"
check 'that a sleep is over in time is no news' stacks_hold '
	assert time("do_sleep", "[waits: time]") > 0.7 * t["sleep"]["ns"]
	assert time("[waits: time]", "[timed out]") == 0' "$work/x.folded"
check 'the thread that is asked is woken by who asks' stacks_hold '
	waits = time("refresher", "[waits: semaphore asked]")
	woken = time("refresher", "[waits: semaphore asked]", "[woken by waits]", "ask [waker]")
	assert waits > 0 and woken > 0.97 * waits, (woken, waits)' "$work/x.folded"
check 'what a waker does is not counted as done by its thread' stacks_hold '
	assert sum(ns for stack, ns in stacks if "handle [waker]" in stack and "handle" in stack) == 0
	both = time("handle")
	said = sum(t[k]["ns"] for k in t if k != "calls")
	assert abs(both / said - 1) < 0.1, (both, said)' "$work/x.folded"

target_start waits --wait --variant pipe,compute --calls 300 --work 4000000 --seconds 60
sonde_start record -p "$target" -o "$work/x.sonde" -s handle --yes -e wall -F 499
target_go
sonde_finish
target_finish
sonde_run report "$work/x.sonde" --split 'blocked > 1ms' --json
check 'the verdict names who ends the wait' holds '[w for w in d["split"]["verdict"]["waits"]
	if w and (w["for"], w["woken_by"], w["in"]) == ("pipe or terminal", "refresher", "refresher")
	and w["share"] > 0.9]' "$out"
sonde_run report "$work/x.sonde" --split 'blocked > 1ms'
tr -s '\n ' '  ' <"$out" >"$work/words"
check 'in words, too' grep -Eq 'wait for pipe or terminal, woken by refresher: [0-9]+ % of these waits end in refresher \(waits.c:[0-9]+\)' "$work/words"

sonde_run record -q -o "$work/x.sonde" -e offcpu -F 499 -- "$python" -c '
import os, select
silent, other = os.pipe()
for _ in range(20):
	select.select([silent], [], [], 0.02)'
stacks
check 'a wait whose time is over says so' stacks_hold '
	waits, over = time("[waits: any of its files]"), time("[waits: any of its files]", "[timed out]")
	assert waits > 0.3e9 and over > 0.9 * waits, (over, waits)' "$work/x.folded"

# By one that is not looked at itself.
mkfifo "$work/pipe"
(
	exec >"$work/pipe"
	for _ in $(seq 25); do
		sleep 0.02
		echo x
	done
) &
writer=$!
sonde_run record -q -o "$work/x.sonde" -e offcpu -F 499 -- cat "$work/pipe"
wait "$writer"
stacks
check 'of one that is none of the target the name is told' stacks_hold "
	waits = time('[waits: pipe or terminal]')
	woken = time('[waits: pipe or terminal]', '[woken by $(cat /proc/$$/comm)]')
	assert waits > 0.3e9 and woken > 0.9 * waits, (woken, waits)
	assert not any('[waker]' in f for stack, ns in stacks for f in stack)" "$work/x.folded"
finish
