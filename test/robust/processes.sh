#!/bin/bash
# The right processes: never the one of that number on the host, and those that end while
# many are looked at are left out and counted.
. "$(dirname "$0")/../live/lib.sh"
plan 22
need root
need bpf

# In a pid namespace of its own sonde would ask the kernel about the host's process.
target_start calls steady --wait --rate 100 --calls 12000 --seconds 120
target_go
inside() { unshare --pid --fork --mount-proc "$sonde" "$@" >"$out" 2>"$err"; status=$?; }
if unshare --pid --fork --mount-proc true 2>"$err"; then
	for how in "record -p 1 -d 0.2 -o $work/x.sonde" 'latency -p 1 main -d 0.2' \
		"record -a -d 0.2 -o $work/x.sonde" "record -d 0.2 -o $work/x.sonde -- true"; do
		# shellcheck disable=SC2086
		inside $how
		check "in a pid namespace it is refused: ${how%% -o*}" says 'pid namespace.*--pid=host'
	done
	check 'and nothing was written' test ! -e "$work/x.sonde"
	inside report "$(dirname "$0")/../web/shop.sonde"
	check 'but a recording can be asked there' status_is 0
else
	for what in 1 2 3 4 5 6; do skip "in a pid namespace ($what)" 'none can be made'; done
fi

# Processes come and go all the time: a loop of a shell that ends with us.
"$python" -c 'import os, sys, time
end = time.time() + 100
print("ready", flush=True)
while time.time() < end:
    pids = [os.posix_spawn("/bin/sleep", ["short-lived", "0.01"], os.environ) for _ in range(20)]
    for pid in pids:
        os.waitpid(pid, 0)' >"$work/loop" &
loop=$!
children+=("$loop")
until grep -q ready "$work/loop"; do sleep 0.02; done
many() { # many NAME ARGS...: of twelve runs all are done
	local i
	for i in $(seq 12); do
		sonde_run record "$@" -d 0.05 -o "$work/y.sonde"
		[ $status = 0 ] || { echo "run $i:"; cat "$err"; return 1; }
	done
}
check 'all processes are sampled while some end' many -a
check 'so are those of a name' many -n '[sc][la]*'
threads_too() { many -n '[sc][la]*' --thread calls; }
check 'and threads of a name' threads_too
spans_too() { many -n '[sc][la]*' -s 'calls:f_push' --yes; }
check 'and calls in them' spans_too
ended_is_said() {
	local i
	for i in $(seq 40); do
		sonde_run record -n '[sc][la]*' -d 0.02 -o "$work/y.sonde"
		grep -q '[0-9] more ended before they could be watched' "$err" && return
	done
	cat "$err"
	return 1
}
check 'those that ended are counted' ended_is_said
end_now "$loop"

# All of them may.
sonde_run record -n 'short-live?' -d 0.1 -o "$work/y.sonde"
check 'where none is left that is said' says "no process is named\|have ended"
check 'and it fails' test "$status" = 1
sonde_run record -p "$target" -d 0.1 -o "$work/z.sonde"
check 'one that was asked for by its number is there' status_is 0
end_now "$target"

# Threads that start, or come to their name, later.
target_start calls threads --wait --calls 4000
sonde_start latency -p "$target" --thread 'cal?s' f_push --yes --json -d 60
target_go
target_finish
sonde_finish
check 'threads that start later have their calls watched' \
	holds 'd["entries"] == t["functions"]["f_push"]["entries"] == 4000 and balanced(d)' "$out" "$truth"
sonde_run latency --thread odd serve --yes --json -- "$targets/calls" planted --variant same --work 20000 --calls 3000
sed -n 's/^{"mode"/&/p' "$out" >"$work/planted"
check 'so have those that name themselves later' \
	holds 'd["entries"] == t["functions"]["serve"]["entries"] / 2 == 3000 and balanced(d)' \
	"$out" "$work/planted"

# Two libraries take turns at one address: what lies there is told each time it changes.
target_start turns --wait
sonde_start record -p "$target" -F 999 -o "$work/turns.sonde"
target_go
target_finish
sonde_finish
check 'each library lay where the other had been' holds 'd["same"] > d["turns"] / 2' "$truth"
sonde_run report "$work/turns.sonde" --json
check 'and each has the samples of its own time' holds \
	'(lambda own: near(own["turns_a"] / t["a_ns"], own["turns_b"] / t["b_ns"], 0.1))(
		{f["name"]: f["self_ns"] for f in d["functions"]})' "$out" "$truth"

# A main thread that has left is not the end of its process.
target_start headless --wait
check 'a process without its main thread is running' \
	grep -q '^State:.*zombie' "/proc/$target/status"
sonde_run record -p "$target" -s headless_work -d 0.2 -o "$work/x.sonde"
check 'no calls of it can be watched, which is said' says 'main thread of .* has ended.*without -s'
sonde_start record -p "$target" -F 999 -o "$work/headless.sonde"
target_go
target_finish
sonde_finish
sonde_run report "$work/headless.sonde" --json
check 'it is sampled to its end' holds 'near(d["samples"] * d["period_ns"], t["cpu_ns"], 0.1)' "$out" "$truth"
check 'with the names of its functions' holds \
	'next(f["total_ns"] for f in d["functions"] if f["name"] == "headless_work") > 0.95 * t["cpu_ns"]' \
	"$out" "$truth"
finish
