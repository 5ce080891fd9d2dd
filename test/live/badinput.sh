#!/bin/bash
# What cannot work says why, in a sentence, with the right status; and nothing of
# it harms anybody.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/lib.sh"
plan 43
need bpf

# refused NAME STATUS 'words in the message' ARGS...: two results.
refused() {
	local name=$1 expected=$2 words=$3
	shift 3
	sonde_run "$@"
	check "$name: status $expected" status_is "$expected"
	check "$name: says '$words'" says "$words"
}

# Needs no rights.
refused 'no such command' 2 "no command 'recrod'" recrod
refused 'unknown option' 2 'pidd' record --pidd 1
refused 'no target' 2 'target' record -d 1 -o "$work/x.sonde"
refused 'zero duration' 2 "'-d' wants" record -p $$ -d 0 -o "$work/x.sonde"
refused 'zero hertz' 2 "'-F' wants" record -p $$ -F 0 -d 1 -o "$work/x.sonde"
refused 'unknown format' 2 'format\|suffix' record -p $$ -d 1 -o "$work/x.xyz"
refused 'recording not there' 1 'no such file\|cannot open' report "$work/none.sonde"

[ "$(id -u)" = 0 ] || skip_rest "not root"
target_start calls steady --wait --rate 100 --calls 1500

refused 'no such process' 1 '4194303' record -p 4194303 -d 1 -o "$work/x.sonde"
refused 'kernel thread' 2 'kernel thread' record -p 2 -s f_push -d 1 -o "$work/x.sonde"
refused 'too many hertz' 2 'perf_event_max_sample_rate' \
	record -p "$target" -F 1000000 -d 1 -o "$work/x.sonde"
refused 'function not found' 1 'near.*f_push' record -p "$target" -s f_pusj -d 1 -o "$work/x.sonde"
refused 'split expression' 2 '\^' \
	record -p "$target" -s f_push --split 'dur >> p95' -d 1 -o "$work/x.svg"
refused 'unknown name in an expression' 2 'colour' \
	record -p "$target" -s f_push --split 'colour > 3' -d 1 -o "$work/x.svg"
refused 'unwritable output' 1 '/proc/none' record -p "$target" -d 1 -o /proc/none/x.sonde

bash -c 'sleep 0.2 & exec sleep 30' &
children+=($!)
parent=$!
sleep 0.6
zombie=$(children_of $parent)
if [ -n "$zombie" ]; then
	refused 'zombie' 1 'zombie\|ended\|exited' record -p "$zombie" -d 1 -o "$work/x.sonde"
else
	skip 'zombie: status 1' 'no zombie could be made'
	skip 'zombie: says' 'no zombie could be made'
fi

if command -v setpriv >/dev/null; then
	timeout 20 setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$sonde" record -p "$target" -s f_push -d 1 -o /dev/null --format folded >"$out" 2>"$err"
	status=$?
	if grep -qi 'permission denied' "$err" && ! grep -qi cap_ "$err" && [ $status = 126 ]; then
		skip 'no rights: status 1' 'others may not run the build'
		skip 'no rights: names the capability' 'others may not run the build'
	else
		check 'no rights: status 1' status_is 1
		check 'no rights: names the capability' says 'CAP_BPF\|CAP_PERFMON'
	fi
else
	skip 'no rights: status 1' 'no setpriv'
	skip 'no rights: names the capability' 'no setpriv'
fi

target_go
check 'the target is still there' alive "$target"
end_now "$target"

mkdir "$work/full"
if mount -t tmpfs -o size=16k none "$work/full" 2>/dev/null; then
	target_start calls steady --calls 100000 --work 200000
	head -c 12000 /dev/zero >"$work/full/fill"
	sonde_run record -p "$target" -s f_push --yes -F 999 -d 2 -o "$work/full/x.sonde"
	check 'full disk: status 1' status_is 1
	check 'full disk: says so' says 'no space'
	end_now "$target"
else
	skip 'full disk: status 1' 'no tmpfs can be mounted here'
	skip 'full disk: says so' 'no tmpfs can be mounted here'
fi

# A hook would end the one, and send a coroutine of the other into its neighbour.
if [ -x "$targets/throw" ]; then
	target_start throw --wait --rate 200
	refused 'thrown through' 1 'throw' \
		record -p "$target" --exit hook -s 'shop::Parser::parse' -d 1 -o "$work/x.sonde"
	target_go
	target_finish
	check 'thrown through: the target ends as alone' \
		holds 't["thrown"] == t["caught"] == 100' "$truth" "$truth"
else
	for name in 'status 1' says 'the target ends as alone'; do
		skip "thrown through: $name" 'no C++ compiler'
	done
fi
target_start coroutine --wait
refused 'coroutines' 1 'switch stacks' \
	record -p "$target" --exit hook -s coroutine:step -d 1 -o "$work/x.sonde"
target_go
target_finish
check 'coroutines: the target ends as alone' holds 'd["sums"] == [249500, 250000]' "$truth"

# Ambiguous: two functions of one name.
target_start ambiguous --wait
refused 'ambiguous' 2 '(turn at ambiguity.c:[0-9]*, ' record -p "$target" -s turn -d 1 -o "$work/x.sonde"
target_go
finish
