#!/bin/bash
# Code that comes while calls are watched by return hooks: none is hooked until all that
# the process maps was looked at, so exceptions that fly through the calls do no harm.
# In forked children the kernel hooks all returns: auto hooks nothing where one could fork.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/lib.sh"
plan 10
need root
need bpf
[ -x "$targets/newcode" ] || skip_rest 'no C++ compiler'

# watched MODE VARIANT [ARG...]: latency's last line is in $out
watched() {
	target_start newcode "$1" --variant "$2" --wait "${@:3}"
	sonde_start latency --exit hook -p "$target" --json -d 60 -i 60 served
	target_go
	target_finish
	sonde_finish
}

# Every call is accounted for, and those that were thrown through had no hook.
counted='sum(d["ended"].values()) + d["open"] == d["entries"] and
	t["caught"] == 40 <= d["ended"]["unjudged"]'
for mode in here exec; do
	for variant in throws swap; do
		text=
		for _ in 1 2 3 4 5; do
			watched $mode $variant
			[ $target_status = 0 ] && holds "$counted" "$out" "$truth" && continue
			text+="status $target_status: $truth_text $(tail -1 "$out")"$'\n'
		done
		check "$mode, $variant: the program lives, 5 times" test -z "$text"
		[ -z "$text" ] || echo "# ${text//$'\n'/$'\n# '}"
	done
done
watched here throws --calls 200 --rate 400
check 'it is said why returns were not hooked, and by whom' \
	grep -q 'not hooked.*newcode_throws.so.*exception' "$err"

watched here plain --calls 400 --rate 400
check 'a library that does no harm: hooks go on once it was looked at' \
	holds 'd["entries"] == t["entries"] == 800 == sum(d["ended"].values()) and
	d["ended"]["return"] > 720' "$out" "$truth"
check 'and nothing is said of it' bash -c "! grep -q 'not hooked' '$err'"

target_start newcode fork --wait
sonde_run list -p "$target" 'c:str*' --json
check 'auto: a program whose children could load code gets no hook' \
	bash -c "grep -q '\"exit\":\"exits\"' '$out' && ! grep -q '\"exit\":\"hook\"' '$out'"
sonde_start record -p "$target" --yes -s served -s 'c:str*' -d 60 -o "$work/x.sonde"
target_go
target_finish
sonde_finish
check 'and the exceptions in its child do no harm' \
	bash -c "[ $target_status = 0 ] && [ $status = 0 ]"

LD_PRELOAD=$targets/libnewcode_throws.so \
	sonde_run latency --exit hook served -d 5 -- "$targets/newcode" here
check 'a command with such a library is refused before it runs' \
	bash -c "[ $status != 0 ] && grep -q newcode_throws.so '$err' && ! [ -s '$out' ]"
finish
