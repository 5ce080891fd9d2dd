#!/bin/bash
# A server whose slow requests are slow for four reasons: one recording and one question name all
# of them.  Runs alone: what takes its CPU away makes other requests slow.
. "$(dirname "$0")/lib.sh"
plan 7
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
check 'all four are named, and what they wait for' holds '(lambda v: {
	c.split("(")[0]: w and w["for"] for c, w in zip(v["causes"], v["waits"])} in [
	{"find_in_cache": "mutex cache_mu", "expand_macros": None, "throttle": "time",
		"write_log": what} for what in ("disk", "a CPU", None)])(d["split"]["verdict"])' \
	"$work/json"
check 'who has the lock is said' holds '[w for w in d["split"]["verdict"]["waits"]
	if w and w.get("held_by") == "refresher" and w["for"] == "mutex cache_mu"]' "$work/json"
finish
