#!/bin/bash
# Beside a program that starts 500 processes a second, with few descriptors: all of them are
# watched, or said to be missing, and neither descriptors nor memory grow.
. "$(dirname "$0")/soak.sh"
plan 12
need root
need bpf

# Starts processes until the time is over; what it prints then is the truth.
cat >"$work/forker" <<'END'
import json, os, sys, time
seconds, rate, began, made = float(sys.argv[1]), 500, time.monotonic(), 0
open('/proc/self/comm', 'w').write('forker')
print('ready', os.getpid(), flush=True)
while time.monotonic() - began < seconds:
    os.waitpid(os.posix_spawn('/bin/true', ['true'], os.environ), 0)
    made += 1
    time.sleep(max(0, began + made / rate - time.monotonic()))
print(json.dumps({'made': made}))
END
forker_start() {
	target_start "$(command -v "$python")" "$work/forker" "$1"
	target=$(sed -n 's/^ready //p' "$truth")
}

# Of the tracer, twice a second: how many descriptors, and KiB of memory.
gauge() {
	: >"$work/gauge"
	while kill -0 "$tracer" 2>/dev/null; do
		echo "$(ls "/proc/$tracer/fd" 2>/dev/null | wc -l)" \
			"$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$tracer/status" 2>/dev/null)"
		sleep 0.5
	done >>"$work/gauge"
}

# Once it has been at work for a while: the third quarter of the time and the last.
flat() {
	"$python" - "$work/gauge" "$seconds" <<'END'
import sys
rows = [tuple(map(int, l.split())) for l in open(sys.argv[1]) if len(l.split()) == 2]
most = max(r[0] for r in rows)
third, last = rows[len(rows) // 2:len(rows) * 3 // 4], rows[len(rows) * 3 // 4:-1]
fds = [max(r[0] for r in part) for part in (third, last)]
kib = [max(r[1] for r in part) for part in (third, last)]
print(f'descriptors {fds}, at most {most}; KiB {kib}')
held = most < 512
if float(sys.argv[2]) >= 60:
    held = held and fds[1] <= fds[0] + 32 and kib[1] <= 1.05 * kib[0] + 2048
sys.exit(not held)
END
}

# watched NAME ARGS...: four results.
watched() {
	local name=$1
	shift
	forker_start $((seconds + 4))
	(ulimit -n 1024 && exec "$sonde" record "$@" -d "$seconds" -o "$work/x.sonde" >"$out" 2>"$err") &
	tracer=$!
	children+=("$tracer")
	gauge
	sonde_finish
	target_finish
	cp "$err" "$work/said"
	check "$name: it is done" status_is 0
	check "$name: the processes had come and gone" holds "d['made'] > 50 * $seconds" "$truth"
	check "$name: neither descriptors nor memory grow" flat
	sonde_run report "$work/x.sonde" --json
}

watched 'all processes' -a -F 499
check 'all processes: nothing is lost without a word' \
	holds 'd["losses"]["ring"] == 0 or d["losses"]["samples"] > 0' "$out"
watched 'those of a name' -n forker -F 499
check 'those of a name: it is their samples' holds 'd["samples"] > 0' "$out"

# Children of which each makes calls for a millisecond.
watched_family() {
	target_start family --wait --calls $((seconds * 250)) --rate 500 --work 1000 \
		--seconds $((seconds * 4 + 60))
	(ulimit -n 1024 && exec "$sonde" record -n family -s family_call --yes -F 499 -o "$work/x.sonde" >"$out" 2>"$err") &
	tracer=$!
	children+=("$tracer")
	until grep -q family_call "$err" || ! kill -0 "$tracer"; do sleep 0.05; done
	target_go
	gauge
	target_finish
	sonde_finish
	cp "$err" "$work/said"
	sonde_run report "$work/x.sonde" --json
}
watched_family
check 'children: neither descriptors nor memory grow' flat
check 'children: each is told of' \
	holds 'd["losses"]["children"] == t["children"]' "$out" "$truth"
check 'children: their calls are accounted for' \
	holds 'balanced(span()) and span()["calls"] <= t["calls"]' "$out" "$truth"
check 'children: what was missed is said' grep -q 'children watched from at most\|not watched' "$work/said"
finish
