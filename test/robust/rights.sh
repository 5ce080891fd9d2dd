#!/bin/bash
# With CAP_BPF and CAP_PERFMON alone: one's own processes can be watched, and of others' the
# capability that is missing is named before anything begins.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/../live/lib.sh"
plan 11
need root
need bpf
need setpriv

chmod 755 "$work"
cp "$build/sonde" "$targets/calls" "$work"
mkdir -m 777 "$work/d"
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
rights="--inh-caps=+bpf,+perfmon --ambient-caps=+bpf,+perfmon"
# as_nobody ARGS...: sonde with those rights.
as_nobody() {
	# shellcheck disable=SC2086
	timeout -k 5 60 $nobody $rights -- "$work/sonde" "$@" >"$out" 2>"$err" </dev/null
	status=$?
}
# shellcheck disable=SC2086
$nobody $rights -- "$work/sonde" doctor >"$out" 2>"$err" </dev/null || skip_rest 'no BPF with these rights alone'

target_start calls steady --wait --rate 100 --calls 100000 --seconds 120
target_go
for how in "record -p $target" "record -p $target -s f_push --yes" "latency -p $target f_push --yes"; do
	# shellcheck disable=SC2086
	as_nobody $how -d 0.2
	check "another user's process is refused: ${how%% -p*}${how#* -p "$target"}" \
		says 'belongs to root: CAP_SYS_PTRACE is missing.*setcap'
	check 'and it fails' test "$status" = 1
done
# shellcheck disable=SC2086
$nobody -- "$work/calls" steady --rate 1000 --calls 100000 --work 200000 --seconds 100 >"$work/own" &
own=$!
children+=("$own")
until grep -q ready "$work/own"; do sleep 0.02; done
as_nobody record -p "$own" -s f_push -F 499 -d 1 --yes -o "$work/d/x.sonde"
check 'their own is watched' status_is 0
"$work/sonde" report "$work/d/x.sonde" --json >"$out"
check 'with names and calls' holds 'balanced(span()) and span()["calls"] > 100 and
	any(f["name"] == "f_push" for f in d["functions"])' "$out"
as_nobody record -a -d 0.3 -o "$work/d/y.sonde"
check 'of all processes those that may not be looked at are counted' \
	says 'may not be looked at, and what runs there has no names: .*CAP_SYS_PTRACE is missing'
check 'and the others are recorded' status_is 0
as_nobody record -n calls -d 0.3 -o "$work/d/y.sonde"
check 'of those of a name they are left out' says '[0-9] process.* may not be looked at, and .* left out'
finish
