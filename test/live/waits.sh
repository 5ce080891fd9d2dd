#!/bin/bash
# Threads that wait are seen waiting, for what they wait for, and as long as they do; a program
# that only computes is not.  Runs beside others.
. "$(dirname "$0")/lib.sh"
plan 21
need root
need bpf

# watch VARIANT CALLS ARGS...: calls of 4 ms, in the order that chance has it
watch() {
	local variant=$1 calls=$2
	shift 2
	target_start waits --wait --variant "$variant" --calls "$calls" --work 4000000 \
		--seconds 100
	sonde_start record -p "$target" -F 499 -o "$work/x.sonde" "$@"
	target_go
	sonde_finish
	target_finish
}

# truly STATEMENTS FILE TRUTH: with d and t as holds has them; what does not hold is shown.
truly() {
	"$python" - "$@" <<'END'
import json, sys, textwrap
d, t = (json.load(open(p)) for p in sys.argv[2:4])
ns = {f['name']: f['total_in_ns'] for f in d['functions']}
mine = {k: ns.get('do_' + k, 0) for k in t if k != 'calls'}
whole, truth = sum(mine.values()), sum(t[k]['ns'] for k in mine)
exec(textwrap.dedent(sys.argv[1]))
END
}

watch compute,lock,sleep,pipe,network,poll 1200 -e wall -s handle --yes
check 'it is recorded' status_is 0
sonde_run report "$work/x.sonde" --json
cp "$out" "$work/wall"
check 'each reason has the share of time that the target measured' truly "
	assert whole > 0.9 * truth, (whole, truth)
	for k in mine:
		assert abs(mine[k] / whole - t[k]['ns'] / truth) < 0.03, (k, mine[k] / whole, t[k]['ns'] / truth)" \
	"$work/wall" "$truth"
for pair in 'lock:mutex cache_mu' sleep:time 'pipe:pipe or terminal' network:network \
	'poll:any of its files'; do
	check "in do_${pair%%:*} it waits for that" truly "
		wait = ns.get('[waits: ${pair#*:}]', 0); reason = mine['${pair%%:*}']
		assert 0.3 * reason < wait < 1.3 * reason, (wait, reason)" "$work/wall" "$truth"
done
check 'and for whom: who rebuilds the cache' truly '
	wait, held = ns["[waits: mutex cache_mu]"], ns.get("[held by refresher]", 0)
	assert 0.95 * wait < held <= wait, (wait, held)' "$work/wall" "$truth"
check 'what waits in the kernel is told by what for, not by where' truly \
	'assert ns.get("schedule", 0) < 0.02 * whole, (ns["schedule"], whole)' \
	"$work/wall" "$truth"
check 'a call is seen whole: nothing is left as not on a CPU' truly '
	per_call = sum(f["self_in_ns"] for f in d["functions"]) / d["spans"][0]["calls"]
	mean = d["spans"][0]["mean_ns"]
	assert 0.93 < per_call / mean < 1.07, (per_call, mean)' "$work/wall" "$truth"
sonde_run report "$work/x.sonde" --split 'dur > p50'
check 'nor said to be' eval '! grep -q "not on a CPU" "$out"'

# 64 programs have room at once
watch child,compute 400 -e wall -s handle --yes
sonde_run report "$work/x.sonde" --json
check 'stacks of one that starts many programs stay whole' truly '
	assert whole > 0.9 * truth, (whole, truth)
	wait = ns["[waits: process]"]
	assert 0.5 * mine["child"] < wait < mine["child"], (wait, mine["child"])' "$out" "$truth"

# By other numbers than ours, and with nothing of the target at hand.
if unshare --pid --fork true 2>/dev/null; then
	mkdir "$work/gone"
	cp "$targets/waits" "$work/gone/"
	unshare --pid --fork "$work/gone/waits" --variant lock,compute --calls 400 --work 4000000 \
		--seconds 60 >"$work/apart" 2>&1 </dev/null &
	outer=$!
	for _ in $(seq 100); do
		inner=$(children_of "$outer")
		[ -n "$inner" ] && [ "$(readlink "/proc/$inner/exe")" = "$work/gone/waits" ] && break
		sleep 0.05
	done
	sonde_run record -p "$inner" -F 499 -e wall -d 1 -o "$work/x.sonde"
	check 'in a pid namespace, too, it is recorded' status_is 0
	end_now "$inner"
	wait "$outer"
	rm -r "$work/gone"
	sonde_run report "$work/x.sonde" --json
	check 'a lock has its name, and who has it, without the program' truly '
		names = {f["name"]: f["total_ns"] for f in d["functions"]}
		wait, held = names["[waits: mutex cache_mu]"], names["[held by refresher]"]
		assert wait > 0.2e9 and held > 0.9 * wait, (wait, held)' "$out" <(echo "{}")
else
	skip 'in a pid namespace, too, it is recorded' 'no pid namespaces'
	skip 'a lock has its name, and who has it, without the program' 'no pid namespaces'
fi

# A hundred that wait for a condition, of which each wakes now and then.
sonde_run record -e wall -F 499 -o "$work/x.sonde" -- "$python" -c 'import threading, time
c = threading.Condition()
def work():
	while not over:
		with c:
			c.wait(1)
over = False
threads = [threading.Thread(target=work) for _ in range(100)]
for t in threads: t.start()
for _ in range(300):
	with c:
		c.notify(7)
	time.sleep(0.003)
over = True
with c:
	c.notify_all()
for t in threads: t.join()'
check 'many locks that come and go are recorded' status_is 0
sonde_run report "$work/x.sonde" --json
check 'and nothing of that is lost' truly '
	assert d["losses"]["ring"] == 0, d["losses"]' "$out" <(echo "{}")

watch sleep 500 -e offcpu
sonde_run report "$work/x.sonde" --json
check 'a thread that sleeps is seen asleep' truly '
	assert "cpu" not in d["causes"] and "sleep" in d["causes"]
	names = {f["name"]: f["self_ns"] for f in d["functions"]}
	assert names["[waits: time]"] > 0.7 * t["sleep"]["ns"], (names, t["sleep"])' "$out" "$truth"
sonde_run report "$work/x.sonde"
check 'what the weights are is said' grep -q 'their own time off the CPU' "$out"

watch compute 500
sonde_run report "$work/x.sonde" --json
check 'without -e nobody looks at who waits' truly '
	assert d["causes"] == ["cpu"]
	assert not any("waits" in f["name"] for f in d["functions"])' "$out" "$truth"

sonde_run record -e nonsense -p $$
check 'another event is refused, with those there are' status_is 2
check 'in words' grep -q "cpu.*offcpu.*wall" "$err"
finish
