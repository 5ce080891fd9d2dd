#!/bin/bash
# sqlite3 on a query whose every fortieth row is heavy, with every sqlite3_step as
# a span of a library function.
. "$(dirname "$0")/lib.sh"
plan 5
need root
need bpf
need sqlite3

rows=4000
query="WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<$rows)
SELECT x, (WITH RECURSIVE d(y) AS (SELECT 1 UNION ALL SELECT y+1 FROM d
WHERE y < CASE WHEN x % 40 = 0 THEN 20000 ELSE 500 END) SELECT sum(y) FROM d) FROM c;"

mkfifo "$work/sql"
sqlite3 -batch <>"$work/sql" >"$work/rows" 2>"$work/target.err" &
target=$!
children+=("$target")
sleep 0.3
sonde_start record -p "$target" -s sqlite3:sqlite3_step -F 499 -d 30 -o "$work/x.sonde"
printf '%s\n.quit\n' "$query" >"$work/sql"
target_finish 2>/dev/null
sonde_finish
check 'the recording ends with sqlite3' status_is 0
check 'sqlite3 ends well, with all rows' test "$(wc -l <"$work/rows")" = $rows
sonde_run report "$work/x.sonde" --split 'dur > p95' --json
check 'every row is a call, and the end one' \
	holds "$rows + 1 <= span()['calls'] <= $rows + 4" "$out"
check 'calls are accounted for' holds 'balanced(span())' "$out"
check 'the heavy rows are the slow ones' holds 'd["split"]["in"]["mean_ns"] > 8 * d["split"]["rest"]["mean_ns"]
	and d["split"]["in"]["samples"] > 20' "$out"
finish
