#!/bin/bash
# Accounts that can fail: every call that began is seen to end, or counted as open at the end,
# one by one; what cannot be timed is said.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/../live/lib.sh"
plan 5
need root
need bpf

# A process that is killed while its threads are in calls, or all between two of them: they nap
# together, half of the time outside.
dies_in_calls() {
	local i in_calls=0
	for i in $(seq 12); do
		target_start linger --wait --threads 8 --work 20000 --calls 100000 --seconds 60
		target_go
		sonde_start latency -p "$target" linger_in --yes -d 20 --json "$@"
		kill -KILL "$target"
		sonde_finish
		target_finish
		holds 'balanced(d) and d["final"] and d["unaccounted"] == 0 and d["open"] == 0' "$out" ||
			{ echo "round $i"; cat "$err"; return 1; }
		holds 'd["ended"].get("exit", 0) > 0' "$out" >/dev/null && in_calls=$((in_calls + 1))
	done
	[ "$in_calls" -gt 0 ] || { echo 'never killed in a call'; return 1; }
}
check 'calls end with a process that is killed' dies_in_calls
check 'also by probes at its exits' dies_in_calls --exit ret
check 'and it is said' says 'all accounted for'

# Where threads come and go all the time some calls cannot be told whose they are.
target_start calls threads --wait --calls 400000 --work 20 --seconds 60
target_go
sonde_start latency -p "$target" f_push --yes -d 1 --json
sonde_finish
end_now "$target"
check 'calls of threads that come and go are all counted' \
	holds 'balanced(d) and d["unaccounted"] == 0' "$out"
check 'at the end, too' says 'all accounted for'
finish
