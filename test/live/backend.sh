#!/bin/bash
# A server whose slow requests are slow for four reasons: one recording and one question name all
# of them.  Runs alone: what takes its CPU away makes other requests slow.
. "$(dirname "$0")/lib.sh"
plan 8
need root
need bpf
[ -x "$targets/backend" ] || skip_rest 'there is no C++ compiler'

target_start backend --wait --calls 6000 --seconds 100
sonde_start record -p "$target" -o "$work/x.sonde" -s handle_request --yes -e wall -F 499
target_go
sonde_finish
target_finish
sonde_run report "$work/x.sonde" --split 'dur > 3ms' --json
cp "$out" "$work/json"
sonde_run report "$work/x.sonde" --split 'dur > 3ms' -o "$work/x.folded" --side in --weight time
check 'it is recorded' status_is 0

# What the slow ones do longer, of all of that; a part of them have no CPU when they want one.
while read -r reason function points; do
	check "$reason has the share that the server measured" stacks_hold "
		share = time('$function') / time()
		true = t['$reason'] / t['slow_ns']
		assert abs(share - true) < $points / 100, (share, true, t)" "$work/x.folded"
done <<'END'
lock find_in_cache 4
compute expand_macros 4
sleep throttle 4
disk write_log 6
END
# The disk's is named where most of it is: all of write_log() or its fdatasync().
check 'all four are named, and what they wait for' holds '(lambda named: len(named) == 4 and all(
	named.get(c) in may for c, may in (("find_in_cache", ["mutex cache_mu"]),
		("expand_macros", [None, "a CPU"]), ("throttle", ["time"]),
		("fdatasync" if "fdatasync" in named else "write_log", ["disk", "a CPU", None])))
	)((lambda v: {c.split("(")[0]: w and w["for"] for c, w in zip(v["causes"], v["waits"])})
	(d["split"]["verdict"]))' "$work/json"
check 'who has the lock is said' holds '[w for w in d["split"]["verdict"]["waits"]
	if w and w.get("held_by") == "refresher" and w["for"] == "mutex cache_mu"]' "$work/json"
# Many short waits, tens of microseconds each: those that end while they are looked at count, too.
target_start backend --wait --calls 2000 --work 20000000 --variant disk --seconds 100
sonde_start record -p "$target" -o "$work/disk.sonde" -s handle_request --yes -e wall -F 997
target_go
sonde_finish
target_finish
sonde_run report "$work/disk.sonde" --json
cp "$out" "$work/disk.json"
sonde_run report "$work/disk.sonde" -o "$work/disk.folded" --weight time
cp "$work/disk.json" "$truth"
check 'waits that are short are seen as long as they are' stacks_hold "
	s = t['spans'][0]
	off = (s['off_share'] + s['runnable_share']) * s['mean_ns'] * s['calls']
	seen = sum(ns for stack, ns in stacks if '[waits: disk]' in stack or
		'[waits: a CPU]' in stack and ('write_log' in stack or 'fdatasync' in stack))
	assert abs(seen / off - 1) < 0.08, (seen, off, s)" "$work/disk.folded"
finish
