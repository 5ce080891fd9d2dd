#!/bin/bash
# Where the time of calls goes: on a CPU, waiting for one, waiting for anything else; told of
# all, and asked of each.  Alone: beside others all
# calls wait for a CPU.
#
# What a hypervisor takes from a CPU is none of a thread's CPU time by its clock, and no time
# without a CPU to the scheduler's switches, which sonde counts: the truth is known up to that.
. "$(dirname "$0")/lib.sh"
plan 14
need root
need bpf

# watch VARIANT CALLS ARGS...: calls of 4 ms, in the order that chance has it
watch() {
	local variant=$1 calls=$2
	shift 2
	target_start waits --wait --variant "$variant" --calls "$calls" --work 4000000 \
		--seconds 60
	sonde_start record -p "$target" -F 499 -s handle --yes -o "$work/x.sonde" "$@"
	stolen=$(stolen)
	target_go
	sonde_finish
	target_finish
	stolen=$(($(stolen) - stolen))
}

# stolen: nanoseconds, of all CPUs (proc(5), /proc/stat: hundredths of a second)
stolen() { awk '$1 == "cpu" { print $9 "0000000" }' /proc/stat; }

whole='(lambda kinds: (sum(t[k]["ns"] for k in kinds), sum(t[k]["cpu_ns"] for k in kinds)))([k for k in t if k != "calls"])'

watch compute,lock,sleep 900 -e wall
check 'it is recorded' status_is 0
sonde_run report "$work/x.sonde" --json
check 'the time without a CPU is what the target measured' holds \
	"-0.02 - $stolen / $whole[0] < d['spans'][0]['off_share'] - (1 - $whole[1] / $whole[0]) < 0.02" \
	"$out" "$truth"
check 'and is one that was waited for something' holds \
	'd["spans"][0]["runnable_share"] < d["spans"][0]["off_share"] / 2' "$out"
sonde_run report "$work/x.sonde"
check 'which is said' grep -Eq 'of their time [0-9]+ % on a CPU, [0-9]+ % waiting for one, [0-9]+ % for anything else' "$out"

# time FUNCTION SIDE, in the report of a split
inside='(lambda f, side: sum(x["total_%s_ns" % side] for x in d["functions"] if x["name"] == f))'
sonde_run report "$work/x.sonde" --split 'blocked > 2ms' --json
check 'calls that wait are told from those that compute' holds \
	"($inside('do_compute', 'in') < 0.03 * $inside('do_compute', 'rest') and
	$inside('do_sleep', 'rest') < 0.03 * $inside('do_sleep', 'in') and
	$inside('do_lock', 'rest') < 0.03 * $inside('do_lock', 'in'))" "$out"
check 'and counted' holds \
	'abs(d["split"]["in"]["calls"] / (t["lock"]["calls"] + t["sleep"]["calls"]) - 1) < 0.05' \
	"$out" "$truth"
sonde_run report "$work/x.sonde" --split 'cpu > 2ms' --json
check 'and the other way round' holds \
	"($inside('do_compute', 'rest') < 0.03 * $inside('do_compute', 'in') and
	$inside('do_sleep', 'in') < 0.03 * $inside('do_sleep', 'rest'))" "$out"
sonde_run report "$work/x.sonde" --split 'handle.blocked > p50'
check 'a percentile of it is one of all calls' eval '
	grep -Eq "where handle.blocked > p50 \(4\.[0-9]+ ms\)" "$out"'
sonde_run report "$work/x.sonde" --split 'off > 2ms && dur < 1ms' --json
check 'times can be asked together' holds 'd["split"]["in"]["calls"] == 0' "$out"

# Two on one CPU: it can run, and does not.
(
	trap 'exit 0' TERM
	while ((SECONDS < 120)); do :; done
) &
hog=$!
taskset -pc 0 "$hog" >"$work/taskset" 2>&1
target_start waits --wait --variant compute --calls 300 --work 20000000 --seconds 60
taskset -apc 0 "$target" >"$work/taskset" 2>&1
sonde_start record -p "$target" -F 499 -e wall -s handle --yes -o "$work/x.sonde"
target_go
sonde_finish
target_finish
end_now "$hog"
sonde_run report "$work/x.sonde" --json
check 'waiting for a CPU is what the target lacks of it' holds \
	'(lambda lacks: lacks > 0.1 and abs(d["spans"][0]["runnable_share"] - lacks) < 0.03)(1 - t["compute"]["cpu_ns"] / t["compute"]["ns"])' \
	"$out" "$truth"
check 'and nothing but that' holds \
	'd["spans"][0]["off_share"] - d["spans"][0]["runnable_share"] < 0.02' "$out"

# sonde and the target alone on one CPU: a tenth of it goes to looks.
target_start calls alone --wait --work 12500 --calls 15000 --seconds 60
taskset -apc 0 "$target" >"$work/taskset" 2>&1
sonde_start record -p "$target" -F 2999 -e wall -s whole --yes -o "$work/x.sonde"
taskset -apc 0 "$tracer" >"$work/taskset" 2>&1
target_go
sonde_finish
target_finish
sonde_run report "$work/x.sonde" --json
check 'what sonde has of a CPU is none of a call that waits for it' holds \
	'd["spans"][0]["runnable_share"] < 0.05' "$out"

watch compute,sleep 200
sonde_run report "$work/x.sonde" --split 'off > 2ms'
check 'where nobody looked at who waits, it is not known' status_is 2
check 'and what is missing is said' grep -q 'samples of who waits are needed: -e wall' "$err"
