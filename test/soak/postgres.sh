#!/bin/bash
# PostgreSQL under pgbench: its postmaster is watched, the work is in children that come
# and go.
. "$(dirname "$0")/soak.sh"
plan 9
need root
need bpf
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
[ -n "$bin" ] && PATH=$bin:$PATH
for program in initdb postgres pgbench psql; do need "$program"; done

# It will not run as root.
user=nobody
getent passwd postgres >/dev/null && user=postgres
as_user=(setpriv --reuid "$user" --regid "$(id -gn "$user")" --clear-groups env LC_ALL=C)
"${as_user[@]}" true 2>/dev/null || skip_rest "no other user to run it as"
chmod 755 "$work"
sql() { "${as_user[@]}" psql -h "$work/socket" -U shop -d postgres -qAtc "$1"; }

# database_start: fresh, with a thousand accounts.
database_start() {
	rm -rf "$work/db" "$work/socket"
	mkdir "$work/db" "$work/socket"
	chown "$user" "$work/db" "$work/socket"
	"${as_user[@]}" initdb -D "$work/db" -U shop --no-sync >"$work/initdb" 2>&1 || return 1
	"${as_user[@]}" postgres -D "$work/db" -k "$work/socket" -h '' -c fsync=off -c autovacuum=off \
		-c jit=off >"$work/target.err" 2>&1 &
	target=$!
	: >"$truth"
	children+=("$target")
	for _ in $(seq 100); do sql 'select 1' >/dev/null 2>&1 && break; sleep 0.1; done
	"${as_user[@]}" pgbench -h "$work/socket" -U shop -i -q postgres >"$work/init" 2>&1
}

# Those backends that stay, when there are some already.
visited() {
	local stay
	stay=$(pgrep -P "$1" --older 2 -d , -f 'postgres: shop ')
	echo "${stay:-$1}"
}

database_stop() {
	kill -INT "$target" 2>/dev/null
	target_finish
}

# The same transactions in another order give the same sums; a client in each of two
# connections that are made anew for every transaction, and four that stay.
work_on() {
	"${as_user[@]}" pgbench -h "$work/socket" -U shop -n -c 4 -R 200 -t $((seconds * 50)) \
		--random-seed=1 postgres >"$work/bench" 2>&1 &
	local stays=$!
	"${as_user[@]}" pgbench -h "$work/socket" -U shop -n -C -S -c 2 -R 20 -t $((seconds * 10)) \
		--random-seed=2 postgres >"$work/bench.new" 2>&1
	wait $stays
	sql "select count(*), sum(abalance), md5(string_agg(aid || ' ' || abalance, ',' order by aid))
		from pgbench_accounts; select sum(delta), count(*) from pgbench_history;
		select sum(bbalance) from pgbench_branches; select sum(tbalance) from pgbench_tellers"
}

database_start || skip_rest "initdb does not run here"
work_on >"$work/alone" 2>&1
database_stop
database_start
soak_begin "$target" standard_ExecutorRun
work_on >"$work/watched" 2>&1
sleep 0.3
soak_end
database_stop
check 'it ends well' exited_well
check 'no transaction failed' grep -q 'failed transactions: 0 ' "$work/bench"
check 'nor one on a new connection' grep -q 'failed transactions: 0 ' "$work/bench.new"
check 'its tables are what they are alone' cmp "$work/alone" "$work/watched"
# five statements in a transaction that writes, one in one that reads, four of ours; of a
# backend that serves one alone it may be over before the probes are there
single=$((seconds * 10 * 2 + 4))
calls=$((seconds * 50 * 4 * 5 + single))
check 'every statement is a call, but some of a backend that serves one' \
	holds "$calls - $single / 2 <= d['entries'] <= $calls + 20" "$out"
check 'every call is accounted for' holds 'balanced(d) and not d["open"]' "$out"
check 'and has its end, but where the probes just came' holds \
	'd["ended"]["return"] >= d["entries"] - d["children"]' "$out"
check 'every backend is told of' holds "d['children'] >= $single" "$out"
check "probes came and went ($(visits))" visits_are_sound
finish
