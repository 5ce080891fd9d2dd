#!/bin/bash
# What --exit auto chooses: exits are the rule; the hook only where an exit would be
# single-stepped and nobody in the target could see it.  Whatever it is, the target
# prints what it prints alone.
. "$(dirname "$0")/lib.sh"
plan 15
need root
need bpf

# watched NAME PLACE TARGET [ARG...]: the target bare and watched; $out has latency's line
watched() {
	local name=$1 place=$2
	shift 2
	"$targets/$1" "${@:2}" 2>/dev/null >"$work/bare"
	sed -i '/^ready/d' "$work/bare"
	target_start "$@" --wait
	sonde_start latency -p "$target" --yes --json -d 60 -i 60 "$place"
	target_go
	target_finish
	sonde_finish
	check "$name: latency ends with the target" status_is 0
	check "$name: the target prints what it prints alone" cmp "$work/bare" "$truth"
}

if [ -x "$targets/throw" ]; then
	watched 'thrown through' 'shop::Parser::parse' throw
	check 'thrown through: every call is counted, the thrown ones apart' \
		holds 'd["entries"] == t["entries"] and d["ended"]["return"] == t["returned"] and
		sum(d["ended"].values()) + d["open"] == t["entries"]' "$out" "$truth"
else
	for what in ends prints counted; do skip "thrown through: $what" 'no C++ compiler'; done
fi
watched coroutines coroutine:step coroutine
check 'coroutines: every call is seen to return' \
	holds 'd["entries"] == d["ended"]["return"] == 1000' "$out"

# in C a hook may be set where nothing forks, but only for the sake of an exit that would be
# stepped
target_start linger --wait
sonde_run list -p "$target" 'c:str*' --json
sed -n 's/^{/{/p' "$out" >"$work/listed"
check 'in C both ways are in use' \
	"$python" -c "import json
rows = [json.loads(l) for l in open('$work/listed')]
ends = [r['exit'] for r in rows]
assert ends.count('hook') > 0 and ends.count('exits') > 0, ends"
sonde_run list -p "$target" 'c:str*' --stats --json
check 'a function whose exits are all cheap, and its own, is never hooked' \
	"$python" -c "import json
exits = sum(json.loads(l)['exit'] == 'exits' for l in open('$work/listed'))
stats = json.load(open('$out'))
assert exits >= stats['cheap_exits'] - stats['tail_calls'] > 0, (exits, stats)"
sonde_run doctor -p "$target" --json
check 'doctor says which ways the target allows, and why' \
	holds 'd["target"]["exit"] == "exits" and d["target"]["hook"] is True and d["target"]["hook_reason"]' "$out"
sonde_run list -p "$target" 'linger:*' --json
cp "$out" "$work/listed"
sonde_run doctor -p "$target" --json
check 'and how many of its functions get which end, and why the others none: as list does' \
	"$python" -c "import json, collections
rows = [json.loads(l) for l in open('$work/listed')]
want = collections.Counter(r['exit'] for r in rows if r['exit'] != 'none')
image, = [i for i in json.load(open('$out'))['target']['images'] if i['main']]
ends = image['ends']
assert image['called'] == sum(ends.values()), image
assert sum(image['no_end'].values()) == ends['none'], image
assert all(ends[way] == want[way] > 0 for way in ('exits', 'hook')), (ends, want)"
end_now "$target"
target_start calls steady --wait --calls 400 --rate 400
sonde_start record -p "$target" -s f_push --yes -F 499 -d 60 -o "$work/x.sonde"
target_go
target_finish
sonde_finish
sonde_run report "$work/x.sonde" --json
check 'and in a program that forks: calls are all counted' \
	holds 'balanced(span()) and span()["ended"]["return"] == t["functions"]["f_push"]["entries"]' "$out" "$truth"
if [ -x "$targets/throw" ]; then
	target_start throw --wait
	sonde_run doctor -p "$target" --json
	check 'a C++ program gets no hook' \
		holds 'd["target"]["exit"] == "exits" and d["target"]["hook"] is False and "throw" in d["target"]["hook_reason"]' "$out"
	check 'and of its functions none is counted as hooked' \
		holds 'all(i["ends"]["hook"] == 0 < i["ends"]["exits"] for i in d["target"]["images"] if i["main"])' "$out"
	target_go
	target_finish
else
	skip 'a C++ program gets no hook' 'no C++ compiler'
fi
sonde_run record --yes -s c:malloc -d 20 -o "$work/x.sonde" -- "$targets/calls" steady --calls 3
check 'a command is judged once its libraries are loaded, and those can be watched' \
	bash -c "[ $status = 0 ] && grep -q 'malloc .*return hook\|malloc .*exits' '$err' && grep -q entries '$out'"
sonde_run record --yes -s c:malloc -d 20 -o "$work/x.sonde" -- "$targets/nothing.such"
check 'one that cannot be started says so' says 'cannot start'
finish
