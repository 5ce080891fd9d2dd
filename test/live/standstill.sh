#!/bin/bash
# sonde stacks: every thread once, where it is and what it waits for, and none is disturbed.
# Runs beside others.
. "$(dirname "$0")/lib.sh"
plan 32
need root
need bpf

# truly STATEMENTS: with d as holds has it, and the threads by name.
truly() {
	"$python" - "$1" "$out" "$work/owners" <<'END'
import json, sys, textwrap
d = json.load(open(sys.argv[2]))
def named(name): return [t for t in d['threads'] if t['name'] == name]
def functions(t): return [f['name'] for f in t['frames']]
exec(textwrap.dedent(sys.argv[1]))
END
}
switches() { cat /proc/"$target"/task/*/status | grep ctxt_switches; }

target_start waits --wait --threads 40 --variant compute --calls 100 --work 20000000
sleep 0.5
switches >"$work/before"
sonde_run stacks -p "$target" --json
check 'it is answered' status_is 0
switches >"$work/after"
check 'no thread has run for it' cmp "$work/before" "$work/after"
check 'all threads are there' truly 'assert len(d["threads"]) == 42, len(d["threads"])'
check 'all of them wait' truly 'assert all(t["state"] == "waiting" for t in d["threads"])'
check 'the first one for a pipe, in main' truly '
	t = d["threads"][0]
	assert t["tid"] == t["pid"] and t["wait"]["kind"] == "pipe", t
	assert "main" in functions(t) and "read" in functions(t)[2], functions(t)'
check 'another for work, in its loop' truly '
	t, = named("refresher")
	assert t["wait"]["kind"] == "lock" and "refresher" in functions(t), t
	assert t["wait"]["object"]["kind"] == "semaphore" and not t["wait"]["owner_tid"], t'
check 'stacks are whole' truly '
	assert all(functions(t)[-1] in ("clone3", "__clone3", "clone", "_start") for t in d["threads"])'
check 'lines are those of the calls' truly '
	t = named("idle")[0]
	line = next(f["line"] for f in t["frames"] if f["name"] == "idle_in_pool")
	text = open("test/target/waits.c").read().splitlines()[line - 1]
	assert "pthread_cond_wait" in text, (line, text)'
check 'how long they wait is known' truly '
	for t in d["threads"]:
		assert 0.4e9 < t["wait"]["since_ns"] < 20e9, t["wait"]'
sonde_run stacks -p "$target"
check 'a pool is one group' grep -q '^40 threads: waits: condition never, for ' "$out"
check 'what stands alone comes before it' eval \
	'[ "$(grep -n "^waits (" "$out" | cut -d: -f1)" -lt "$(grep -n "^40 threads" "$out" | cut -d: -f1)" ]'
sonde_run stacks -p "$target" --thread 'idl*' --json
check 'threads can be asked for by name' truly '
	assert len(d["threads"]) == 40 and all(t["name"] == "idle" for t in d["threads"])'
sonde_run stacks -p "$target" -d 1
check 'how long is asked of who watches only' status_is 2
sonde_run stacks -p "$target" --watch -i 300ms -d 3 --json
"$python" - "$out" >"$work/list" <<'END'
import json, sys
text, looks = open(sys.argv[1]).read(), []
while text.strip():
	look, at = json.JSONDecoder().raw_decode(text.lstrip())
	looks.append(look)
	text = text.lstrip()[at:]
json.dump(looks, sys.stdout)
END
check 'watched, they are told of again and again' holds '4 <= len(d) <= 10 and
	all(len(look["threads"]) == len(d[0]["threads"]) for look in d)' "$work/list"
check 'as they are by then' holds '(lambda since: all(a < b for a, b in zip(since, since[1:])))(
	[max(t["wait"]["since_ns"] for t in look["threads"] if t["name"] == "idle") for look in d])' \
	"$work/list"
sonde_run stacks -p "$target" --watch -i 300ms -d 1
check 'in text, too' eval '[ "$(grep -c "^40 threads: waits: condition never" "$out")" -ge 2 ]'
target_go
sleep 0.3
sonde_run stacks -p "$target" --json
check 'one that computes runs, or waits for a CPU' truly '
	t = d["threads"][0]
	assert t["state"] == "running" or t["wait"]["kind"] == "runnable", t
	assert "do_compute" in functions(t), functions(t)'
target_stop

sonde_run stacks -p "$target"
check 'a process that has gone is an error' status_is 1
check 'that says so' grep -q "no process" "$err"
# Who has what others wait for is read in the locks.
target_start locked
sonde_run stacks -p "$target" --json
sed '/^ready/d' "$truth" >"$work/owners"
check 'each owner is the true one' truly '
	truth = {t["tid"]: t["owner"] for t in json.load(open(sys.argv[3]))}
	seen = {t["tid"]: (t["wait"] or {}).get("owner_tid") or 0 for t in d["threads"]}
	wrong = {tid: (seen.get(tid), owner) for tid, owner in truth.items() if seen.get(tid) != owner}
	assert not wrong and len(truth) == 16, wrong'
check 'the kinds of locks are told' truly '
	kinds = {t["name"]: t["wait"]["object"]["kind"] for t in d["threads"] if t["wait"]["object"]}
	assert kinds["queue"] == kinds["robust"] == kinds["recursive"] == "mutex", kinds
	assert kinds["reader"] == kinds["writer"] == "rwlock" and kinds["joiner"] == "thread", kinds
	assert kinds["keeper"] == "semaphore", kinds'
check 'and what they are called' truly '
	names = {t["name"]: t["wait"]["object"]["name"] for t in d["threads"]}
	assert names["circle-0"] == "locks+40" and names["twice"] == "twice", names
	assert names["reader"] == names["writer"] and names["joiner"] is None, names'
check 'an owner that has ended is told' truly '
	ended = [t["name"] for t in d["threads"] if t["wait"] and t["wait"]["owner_ended"]]
	assert ended == ["haunted"], ended'
check 'the circle is a deadlock, and a lock taken twice, and no other' truly '
	tids = {t["name"]: t["tid"] for t in json.load(open(sys.argv[3]))}
	alone, cycle = sorted(d["deadlocks"], key=len)
	assert alone == [tids["twice"]], alone
	at = cycle.index(tids["circle-0"])
	assert cycle[at:] + cycle[:at] == [tids[f"circle-{i}"] for i in range(5)], cycle'
sonde_run stacks -p "$target"
check 'the deadlock is said first' eval 'head -4 "$out" | grep -q "^Deadlock: circle-"'
check 'and who has a lock' grep -qE '^3 threads: waits: mutex locks\+80 held by circle-2 \([0-9]+\)' "$out"
check 'and whose end is waited for' grep -qE '^joiner .* waits: the end of keeper' "$out"
check 'who waits for itself is a deadlock' grep -qE '^Deadlock: twice \([0-9]+\) waits for itself$' "$out"
check 'one waits for itself' eval '[ "$(grep -cE "^([a-z0-9-]+) .* held by \1 " "$out")" = 1 ]'
check 'and one for who has ended' grep -qE '^haunted .* held by thread [0-9]+, which has ended' "$out"
end_now "$target"

# By other numbers than ours: in a pid namespace of its own.
sonde_run_apart() {
	local inner
	unshare --pid --fork "$targets/locked" --seconds 60 </dev/null >"$truth" 2>/dev/null &
	outer=$!
	for _ in $(seq 100); do
		inner=$(children_of "$outer")
		[ -n "$inner" ] && grep -q '^\[' "$truth" && break
		sleep 0.05
	done
	sonde_run stacks -p "$inner" --json
	end_now "$inner"
}
if unshare --pid --fork true 2>/dev/null; then
	sonde_run_apart
	check 'owners are found in a pid namespace' truly '
		names = {t["tid"]: t["name"] for t in d["threads"]}
		owners = {t["name"]: names.get(t["wait"]["owner_tid"]) for t in d["threads"] if t["wait"]}
		assert owners["circle-0"] == "circle-1" and owners["reader"] == "keeper", owners
		assert owners["joiner"] == "keeper" and owners["twice"] == "twice", owners
		assert len(d["deadlocks"]) == 2, d["deadlocks"]'
else
	skip 'owners are found in a pid namespace' 'no pid namespaces'
fi

sonde_run stacks
check 'so is no target' status_is 2
finish
