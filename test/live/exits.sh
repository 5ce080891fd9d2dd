#!/bin/bash
# Spans by probes at a function's exits: whichever way it is left, the call is counted
# once, ends there, and lasts as long as what was done inside it.
. "$(dirname "$0")/lib.sh"
plan 20
need root
need bpf
[ "$(uname -m)" = x86_64 ] || skip_rest "the target is written for x86-64"

"$targets/wayout" >"$work/bare"
sed -i '/^ready/d' "$work/bare"
names=$("$python" -c "import json; print(*json.load(open('$work/bare'))['functions'])")

# a tick or another process may lengthen a call that did nothing; the target counts
# those it noticed itself
right='len(lines) == len(t["functions"]) and all(
	d["calls"] == d["entries"] == d["ended"]["return"] == t["functions"][d["place"]]["entries"] and
	d["open"] == 0 and list(d["ended"]) == ["return"] for d in lines)'
lasting='[d for d in lines if not 0 <= sum(n for low, high, n in d["histogram"] if low >= 50000) -
	t["functions"][d["place"]]["inside"] <= max(2, held_up.get(d["place"], 0))]'

target_start wayout --wait
sonde_start latency -p "$target" --exit ret --yes --json -d 60 -i 60 $names
target_go
target_finish
sonde_finish
check 'latency ends with the target' status_is 0
check 'the target ends well' exited_well
check 'and prints what it prints alone' cmp "$work/bare" "$truth"
check 'every call of every function is counted and ends by its exit' \
	"$python" -c "import json
t = json.load(open('$truth')); lines = [json.loads(l) for l in open('$out')]
assert $right, [(d['place'], d['entries'], d['ended']) for d in lines]"
check 'and lasts as long as what is done inside it' \
	"$python" -c "import json
t = json.load(open('$truth')); lines = [json.loads(l) for l in open('$out')]
held_up = json.loads(open('$work/target.err').readlines()[-1])
wrong = $lasting
assert not wrong, wrong"

target_start wayout --wait
sonde_lines=3 sonde_start record -p "$target" --exit ret --yes -d 60 -F 499 -o "$work/x.sonde" \
	-s '/^(left_|parted$|guarded|switched|never|after|tail_by)/'
cp "$err" "$work/said"
target_go
target_finish
sonde_finish
check 'a pattern: the recording ends with the target' status_is 0
check 'a pattern: what cannot be watched is named, with the reason' \
	grep -q '1 left out: never_back (it has no exit: its calls do not come back)' "$work/said"
check 'a pattern: exits into other functions are said' \
	grep -q '1 of them may end by a jump to another function, whose time is not in' "$work/said"
check 'a pattern: and where calls go on after a jump' \
	grep -q '1 of them may go on in what they jump to' "$work/said"
sonde_run report "$work/x.sonde" --json
check 'a pattern: the rest is counted together' holds 'balanced(d["spans"][0]) and
	d["spans"][0]["ended"]["return"] == d["spans"][0]["calls"] == sum(f["entries"]
	for n, f in t["functions"].items() if n.startswith(("left_", "guard", "after", "switched", "parted",
	"tail_by")))' \
	"$out" "$truth"
check 'a pattern: samples taken while it works lie in its calls' \
	holds 'd["split"]["in"]["samples"] > 0.5 * d["samples"] > 0' "$out"

# calls that go on in what they jump to, and all that lie at one slot, in one probe
target_start wayout --wait
sonde_lines=3 sonde_start record -p "$target" --exit ret --yes -d 60 -F 499 -o "$work/x.sonde" \
	-s '/^(twice_forwarded|forwarded|tail_if|in_circle|round_trip)$/'
target_go
target_finish
sonde_finish
check 'calls at one slot, one probe: the recording ends with the target' status_is 0
sonde_run report "$work/x.sonde" --json
together='[t["functions"][n] for n in ("twice_forwarded", "forwarded", "tail_if", "in_circle",
	"round_trip")]'
check 'each is counted, and ends once' holds 'balanced(d["spans"][0]) and
	d["spans"][0]["ended"]["return"] == d["spans"][0]["calls"] ==
	sum(f["entries"] for f in '"$together"')' "$out" "$truth"
# (of some short calls in which a tick fell the duration is another one's)
check 'and lasts until the last of them ends' holds '-5 <= sum(n for low, high, n in
	d["spans"][0]["histogram"] if low >= 50000) - sum(f["inside"] for f in '"$together"') <= 5' \
	"$out" "$truth"

# left by longjmp where it went on: what is above is dead when it is called again
target_start wayout jumps --wait
sonde_start latency -p "$target" --exit ret --yes --json -d 60 -i 60 \
	jumps_behind jumps_apart
target_go
target_finish
sonde_finish
check 'calls that are left where they went on: latency ends with the target' status_is 0
check 'each ends once, as it did' "$python" -c "import json
t = json.load(open('$truth')); lines = [json.loads(l) for l in open('$out')]
assert len(lines) == 2
for d in lines: assert d['ended'] == {'return': t['entries'] - t['longjmp'], 'longjmp':
	t['longjmp']} and d['entries'] == t['entries'] == 1000 and t['longjmp'] == 800, (d['ended'], t)"

sonde_run record --exit ret -s never_back -o "$work/x.sonde" -- "$targets/wayout"
check 'one that does not come back is refused, with the reason' \
	grep -q "cannot be seen without harm: no probes at its exits on never_back: it has no exit" "$err"
sonde_run record --exit ret -s after_call+1 -o "$work/x.sonde" -- "$targets/wayout"
check 'so is a place within a function' grep -q "a place within a function has no exits" "$err"
sonde_run record --exit ret -s '/^never/' -o "$work/x.sonde" -- "$targets/wayout"
check 'and a pattern of which nothing is left' \
	grep -q "nothing that '/^never/' stands for can be watched" "$err"
sonde_run record --exit ret --dry-run -s left_e -s 'left_[en]*' -- "$targets/wayout"
check 'a function belongs to the first place that names it' \
	grep -q "1 belongs to 'left_e'" "$err"
finish
