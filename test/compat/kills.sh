#!/bin/bash
# sonde is ended at random moments, in order and not, while it attaches, watches, detaches:
# the target's code is as it was, and the target prints what it prints alone.
#
#	KILLS=200 test/compat/kills.sh	tries more often
. "$(dirname "$0")/play.sh"
plan 5
need root
need bpf
[ -x "$scenes/scene_throws" ] || skip_rest "no C++ compiler"

KILLS=${KILLS:-30}
LIMIT_MSEC=100

# It throws all the time, so what tells of exceptions carries probes, too.
target_start "$scenes/scene_throws" throw_many --rate 200 --calls 1000000 --seconds 900 --wait
target_go
kills() {
	"$python" "$(dirname "$0")/kills.py" "$target" "$KILLS" "$LIMIT_MSEC" any "$sonde" record -p "$target" \
		-s 'w_throw*' -s 'w_caught*' --yes -d 600 -o "$work/killed.sonde" >"$out"
}
check "sonde is ended $KILLS times" kills
check "code is as before $LIMIT_MSEC ms after each" holds "d['good'] == d['times'] == $KILLS" "$out"
check "some had probes by then, some not yet" holds "0 < d['probed'] < d['times']" "$out"
echo "# $(cat "$out")"

alike() {
	local rounds
	rounds=$(wc -l <"$truth")
	[ "$rounds" -gt 1000 ] || { echo "$rounds rounds"; return 1; }
	"$scenes/scene_throws" throw_many --calls "$rounds" --wait <<<go | sed '/^ready/d' | head -n "$rounds" |
		cmp - "$truth"
}
check "the target goes on" alive "$target"
end_now "$target"
target_finish
check "the target prints what it prints alone" alike
finish
