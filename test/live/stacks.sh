#!/bin/bash
# Whole stacks of code without frame pointers: a program whose every legal stack is
# known (alone, under return hooks, with a library that comes late), redis-server,
# and sqlite3 started by sonde.
. "$(dirname "$0")/lib.sh"
plan 25
need root
need bpf

# whole PART [FILE]: so large a part of the stacks came to their end.
whole() {
	holds "d['losses']['stacks'] >= ${2:-500} and d['losses']['stacks_truncated'] \
+ d['losses']['stacks_unreadable'] <= (1 - $1) * d['losses']['stacks']" "$out"
}

# Judges $work/x.sonde by the program's grammar: $work/judged.
judge() {
	"$sonde" report "$work/x.sonde" "$@" -o - --format folded 2>"$err" |
		"$python" "$(dirname "$0")/grammar.py" >"$work/judged"
}

# legal PART: so large a part are stacks that the program can have, from root to leaf.
legal() { holds "d['stacks'] >= 500 and d['legal'] >= $1 * d['stacks']" "$work/judged"; }

[ -x "$targets/grammar" ] || { echo "Bail out! grammar was not built"; exit 1; }
target_start grammar --seconds 60 --threads 2
sonde_run record -U -p "$target" -F 1999 -d 4 -o "$work/x.sonde"
check 'the grammar program is sampled' status_is 0
sonde_run report "$work/x.sonde" --json
check '99.9 % of its stacks are whole' whole 0.999
judge
check '99.9 % are exactly what the program can do' legal 0.999
sonde_run report "$work/x.sonde" -o - --format folded
check 'a thousand frames deep' grep -qE '(g_deep_[a-d];){999}g_deep_d;g_leaf ' "$out"
check 'through signal handlers' grep -q 'g_round;.*;g_signal;g_leaf ' "$out"
check 'and callbacks of the library' grep -q 'g_sort;.*;g_order' "$out"

# watched NAME PART -s FUNCTION...
watched() {
	local name=$1 part=$2
	shift 2
	sonde_run record -U -p "$target" "$@" -F 1999 -d 4 --yes -o "$work/x.sonde"
	check "$name: calls are watched" status_is 0
	sonde_run report "$work/x.sonde" --json
	check "$name: ${part/0./}/1000 of the stacks in watched calls are whole" whole "$part"
	judge
	check "$name: and what the program can do" legal "$part"
	sonde_run report "$work/x.sonde" --json
	check "$name: calls are accounted for" holds 'all(map(balanced, d["spans"])) and
		sum(s["calls"] for s in d["spans"]) > 1000' "$out"
}
# every frame of the recursion, and what qsort calls too
watched hook 0.990 --exit hook -s g_down_a -s g_bottom -s g_order
watched ret 0.999 --exit ret -s g_down_a -s g_bottom -s g_order
# the entry executes outside of the function, one step at a time
if "$sonde" list "$targets/grammar" g_drap | grep -q stepped; then
	watched 'a single-stepped entry' 0.999 -s g_drap
else
	for _ in 1 2 3 4; do skip 'a single-stepped entry' 'that of g_drap is emulated'; done
fi
target_stop
check 'the program ends well' exited_well

# libz is loaded only after sonde has attached.  Until its table has come, its stacks end
# in it: 1/1000 of ten seconds is 10 ms.
target_start grammar --seconds 60 --variant dlopen --wait
sonde_start record -U -p "$target" -F 1999 -d 10 -o "$work/x.sonde"
target_go
sonde_finish
target_stop
if [ "$target_status" = 77 ]; then
	skip 'a library that is loaded late is walked' 'no libz.so.1'
else
	sonde_run report "$work/x.sonde" --json
	check 'a library that is loaded late is walked' whole 0.999
fi

if command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null; then
	redis-server --port 0 --unixsocket "$work/redis.sock" --save '' --appendonly no \
		--dir "$work" >"$work/redis.log" 2>&1 &
	redis=$!
	children+=("$redis")
	for _ in $(seq 100); do [ -S "$work/redis.sock" ] && break; sleep 0.05; done
	redis-benchmark -s "$work/redis.sock" -q -l -t set,get,lrange_600 -c 8 >/dev/null 2>&1 &
	children+=($!)
	sleep 0.3
	sonde_run record -p "$redis" -F 1999 -d 3 -o "$work/x.sonde"
	sonde_run report "$work/x.sonde" --json
	check '99.9 % of the stacks of redis-server are whole' whole 0.999
	# short commands: a tenth of the samples are in one
	sonde_run record -p "$redis" -s processCommand --exit hook --yes -F 1999 -d 9 \
		-o "$work/x.sonde"
	judge --side in --split 'dur >= 0'
	check '99 % of those in a watched command begin at the root' \
		holds 'd["stacks"] >= 300 and d["rooted"] >= .99 * d["stacks"]' "$work/judged"
	end_now "$redis"
else
	skip '99.9 % of the stacks of redis-server are whole' 'redis is not installed'
	skip '99 % of those in a watched command begin at the root' 'redis is not installed'
fi

# A program that sonde starts runs before its libraries' tables are made: a few
# milliseconds, more where the machine is busy.  From then on its stacks are whole.
if command -v sqlite3 >/dev/null; then
	sonde_run record -U -F 1999 -o "$work/x.sonde" -- sqlite3 :memory: "WITH RECURSIVE c(x) AS
(SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<3000000) SELECT count(*), sum(x % 7),
max(printf('%d', x)) FROM c GROUP BY x % 11;"
	check 'sqlite3 is started and sampled' status_is 0
	sonde_run report "$work/x.sonde" --json
	check '95 % of the stacks of a started sqlite3 are whole' whole 0.95
	judge --last 1s
	check '99.9 % are in its last second' \
		holds 'd["stacks"] >= 300 and d["rooted"] >= .999 * d["stacks"]' "$work/judged"
else
	skip 'sqlite3 is started and sampled' 'sqlite3 is not installed'
	skip '95 % of the stacks of a started sqlite3 are whole' 'sqlite3 is not installed'
	skip '99.9 % are in its last second' 'sqlite3 is not installed'
fi
finish
