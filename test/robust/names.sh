#!/bin/bash
# Names of code that a program makes while it runs: from its own perf map and no other's, and
# where it is not used that is said.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/../live/lib.sh"
plan 8
need root
need bpf

# jitted ARGS...: has a target of that recorded; what put_map does is done before it begins.
put_map() { :; }
jitted() {
	target_start jitted --wait "$@"
	map=/tmp/perf-$target.map
	put_map
	sonde_start record -p "$target" -F 499 -o "$work/x.sonde"
	target_go
	target_finish
	sonde_finish
	cp "$err" "$work/said"
	rm -rf "$map"
	sonde_run report "$work/x.sonde" --json
}
share='next((f["self_ns"] for f in d["functions"] if f["name"] == "%s"), 0)'
named() { holds "$(printf "$share" "$1") > 0.9 * t['cpu_ns']" "$out" "$truth"; }
unnamed() { holds "$(printf "$share" "$1") == 0" "$out" "$truth"; }

jitted
check 'its functions are named' named jitted_work
check 'and there is nothing to warn of' sh -c "! grep -q 'no name' '$work/said'"

# Its /tmp is a link to somewhere in its own root; the host has a file at that place, too.
mkdir -p "$work/decoy" "$work/root$work/decoy"
ln -s "$work/decoy" "$work/root/tmp"
put_map() { printf '0 ffffffffffff stranger\n' >"$work/decoy/perf-$target.map"; }
jitted --variant "$work/root"
check 'in a root of its own: by the map in that root' named jitted_work
check 'and not by the one outside' unnamed stranger

put_map() { ln -s "$work/elsewhere" "$map"; }
jitted
check 'a map that is a link is not used' unnamed jitted_work
check 'which is said' grep -q 'no name.*is a symbolic link: not used' "$work/said"

put_map() { touch "$map" && ln "$map" "$work/twice"; }
jitted
check 'nor is one with two names' unnamed jitted_work
check 'which is said, too' grep -q 'no name.*has more than one name: not used' "$work/said"
finish
