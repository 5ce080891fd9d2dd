#!/bin/bash
# A watched function that goes on in another one by a jump has no frame by then: its calls are
# seen in stacks all the same, and what is called from it is told from what calls it.
# Runs beside others: then the longest calls are those that waited for a CPU, in any stage.
. "$(dirname "$0")/lib.sh"
plan 12
need root
need bpf
[ "$(uname -m)" = x86_64 ] || skip_rest "the target jumps on x86-64 only"

# All but the moments in which a probe has its turn.
within='
all_of = sum(ns for stack, ns in stacks)
assert time("work", "admit", "serve") >= 0.99 * all_of > 0
assert time("serve") - time("admit", "serve") <= 0.001 * all_of
assert time("serve", "admit") == time("admit", "admit") == 0'

paint='
max((f for f in d["functions"] if f["name"] in
	("decode", "lookup", "rank", "layout", "paint", "submit")),
	key=lambda f: f["extra_ns"])["name"] == "paint"'

# watch NAME PROBE...
watch() {
	local name=$1 probe spans=()
	shift
	for probe; do spans+=(-s "$probe"); done
	target_start calls planted --wait --variant 5:60 --work 400000 --calls 1500 --seconds 60
	sonde_start record -p "$target" "${spans[@]}" --exit hook -e wall -F 1301 --yes -q -d 50 \
		-o "$work/$name.sonde"
	target_go
	target_finish
	sonde_finish
	check "$name: the target ends well" exited_well
	sonde_run report "$work/$name.sonde" --side in -o "$work/$name.folded" --weight time
}

watch jumps admit
check 'jumps: it lies between its caller and what it jumps to' \
	stacks_hold "$within" "$work/jumps.folded"
sonde_run report "$work/jumps.sonde" --split 'cpu > p90' --json
cp "$out" "$work/jumps.json"
check 'jumps: every call is counted' holds \
	'd["spans"][0]["calls"] == d["spans"][0]["returned"] == t["functions"]["serve"]["entries"]' \
	"$work/jumps.json" "$truth"
check 'jumps: nothing that calls it is a function within it' holds \
	'{"serve", "render", "paint"} <= {f["name"] for f in d["functions"]} and
	not {"work", "start_thread", "clone3", "admit"} & {f["name"] for f in d["functions"]}' \
	"$work/jumps.json"
check 'jumps: none of them has more than all of the time' holds \
	'all(f["total_in_ns"] <= d["split"]["in"]["weight_ns"] for f in d["functions"])' \
	"$work/jumps.json"
check 'jumps: calls that compute longer have more of paint than of any other stage' \
	holds "$paint" "$work/jumps.json"

# Calls that return to one place: of the one that jumps, and of the one it jumps to.
watch both admit serve
check 'both: each is there once, in their order' stacks_hold "$within
assert time('serve', 'serve') == 0" "$work/both.folded"
sonde_run report "$work/both.sonde" --split 'serve.cpu > p90' --json
check 'both: so it is of the inner one' \
	holds "$paint" "$out"

# One that has a frame of its own.
watch plain serve
check 'plain: it is there once, and who jumped to it is not known' stacks_hold '
all_of = sum(ns for stack, ns in stacks)
assert time("work", "serve") >= 0.99 * all_of > 0
assert time("admit") == time("serve", "serve") == 0' "$work/plain.folded"
sonde_run report "$work/plain.sonde" --split 'cpu > p90' --json
check 'plain: calls that compute longer have more of paint than of any other stage' \
	holds "$paint" "$out"
finish
