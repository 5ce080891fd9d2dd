#!/bin/bash
# What the one does that has the lock which others wait for: whose blame it is, and in which
# function.  Runs alone: beside others threads wait for a CPU, too, and nobody is to blame.
. "$(dirname "$0")/lib.sh"
plan 13
need root
need bpf

# watch VARIANT CALLS ARGS...: calls that wait for 20 ms
watch() {
	local variant=$1 calls=$2
	shift 2
	target_start holders --wait --variant "$variant" --calls "$calls" --work 20000000 --seconds 60
	sonde_start record -p "$target" -o "$work/x.sonde" -s handle --yes "$@"
	target_go
	sonde_finish
	target_finish
}

# stacks ARGS...: as time() reads them
stacks() {
	sonde_run report "$work/x.sonde" -o "$work/x.folded" --side all --weight time "$@"
}

watch compute,chain,hand 150 -e wall -F 499
check 'it is recorded' status_is 0
stacks
check 'a holder that computes has the blame where it computes' stacks_hold '
	blamed = time("handle", "[waits: mutex front_mu]", "[held by keeper]", "compute_held [holder]")
	assert abs(blamed / t["compute"] - 1) < 0.1, (blamed, t)' "$work/x.folded"
check 'one that waits itself has it where it waits, and for whom' stacks_hold '
	blamed = time("handle", "[waits: mutex front_mu]", "[held by keeper]", "take_back [holder]",
		"[waits: mutex back_mu] [holder]", "[held by flusher] [holder]", "write_out [holder]")
	assert abs(blamed / t["chain"] - 1) < 0.05, (blamed, t)' "$work/x.folded"
check 'one that waits has the blame of another on its own stack' stacks_hold '
	blamed = time("keeper", "take_back", "[held by flusher]", "write_out [holder]")
	assert abs(blamed / t["chain"] - 1) < 0.1, (blamed, t)' "$work/x.folded"
check 'two that have it one after the other share the blame' stacks_hold '
	first = time("handle", "[waits: mutex turn_mu]", "[held by keeper]", "compute_held [holder]")
	second = time("handle", "[waits: mutex turn_mu]", "[held by second]", "second_turn [holder]")
	before = t["hand"] - t["second"] # of what it waited
	assert abs(first / before - 1) < 0.15, (first, t)
	assert abs(second / t["second"] - 1) < 0.15, (second, t)' "$work/x.folded"
check 'what one does without the lock is not blamed' stacks_hold '
	assert time("handle") > 0.9 * (t["compute"] + t["chain"] + t["hand"])
	assert time("handle", "tidy_up [holder]") < 0.005 * time("handle")
	assert time("tidy_up") > 0' "$work/x.folded"
sonde_run report "$work/x.sonde" -e lock -o "$work/x.folded" --weight time
check 'a report on locks alone has it, too' stacks_hold '
	assert time("handle", "[held by keeper]", "compute_held [holder]") > 0.9 * t["compute"]
	assert time("keeper", "compute_held") == 0' "$work/x.folded"

# Looks are as far from each other as a wait is long.
watch compute,chain 100 -e wall -F 59
stacks
check 'with few samples less is known, but nothing wrong' stacks_hold '
	known = time("handle", "[held by keeper]", "keep [holder]")
	wrong = time("handle", "[held by keeper]", "keeper [holder]") - known
	assert known > 0.2 * time("handle", "[held by keeper]"), (known, t)
	assert wrong < 0.05 * known, (wrong, known)' "$work/x.folded"

watch compute,chain 100 -e offcpu -F 499
stacks
check 'of who runs unseen nothing is told' stacks_hold '
	held = time("handle", "[held by keeper]")
	assert held > 0.8 * (t["compute"] + t["chain"]), (held, t)
	lost = time("handle", "[held by keeper]", "[waits: a CPU] [holder]") # runs no more
	assert time("handle", "compute_held [holder]") <= lost
	other = time("handle", "keeper [holder]") - time("handle", "take_back [holder]") - lost
	assert other < 0.01 * held, (other, held)' "$work/x.folded"
check 'but of who waits' stacks_hold '
	blamed = time("handle", "take_back [holder]", "[held by flusher] [holder]")
	assert abs(blamed / t["chain"] - 1) < 0.1, (blamed, t)' "$work/x.folded"

watch chain,free 100 -e wall -F 499
sonde_run report "$work/x.sonde" --split 'dur > 5ms' --json
check 'the verdict names the chain' holds '(lambda w: (w["for"], w["held_by"], w["in"],
	w["called_by"], w["waits"]["for"], w["waits"]["held_by"]) ==
	("mutex front_mu", "keeper", "take_back", "keep", "mutex back_mu", "flusher") and
	w["share"] > 0.9)(d["split"]["verdict"]["waits"][0])' "$out"
sonde_run report "$work/x.sonde" --split 'dur > 5ms'
tr -s '\n ' '  ' <"$out" >"$work/words"
check 'in words, too' grep -Eq 'wait for mutex front_mu, held by keeper: [0-9]+ % of that time it is in take_back \(holders.c:[0-9]+\), called by keep \(holders.c:[0-9]+\), and waits for mutex back_mu, held by flusher: [0-9]+ % of that time it is in ' "$work/words"
check 'and holders are listed as such' grep -q 'take_back \[holder\]' "$out"
