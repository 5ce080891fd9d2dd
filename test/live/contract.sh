#!/bin/bash
# What scripts and people rely on: which line says what, what is there when a run fails,
# and which formats are known.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/lib.sh"
plan 23
need root
need bpf

first() { head -n 1 "$err" | grep -E -- "$1"; }
last() { tail -n 1 "$err" | grep -E -- "$1"; }
losses='samples \([0-9,]+ lost, [0-9,]+ truncated, [0-9.]+ % of frames unnamed.*\), [0-9,]+ calls \('

target_start calls steady --wait --calls 2000 --rate 1000 --work 20000
sonde_start record -p "$target" -s f_push -s f_mov --yes -F 999 -d 30 -o "$work/x.sonde"
target_go
target_finish
sonde_finish
check 'record: the first line says what is watched, how and at what price' \
	first '^sonde: calls \([0-9]+\), 1 thread; 2 places by .*, [0-9.]+ .s( to [0-9.]+ .s)? a call; 999 Hz, kernel and user stacks$'
check 'record: then each place has a line' grep -qE '^sonde: f_mov( \(.*:[0-9]+\))? by .*, [0-9.]+ .s a call$' "$err"
check 'record: the last says what was lost' last "$losses"
check 'record: the target ends well' exited_well

target_start calls steady --wait --calls 2000 --rate 1000 --work 20000
sonde_start record -p "$target" -s f_push --yes -d 30 -o "$work/x.svg"
target_go
target_finish
sonde_finish
check 'one place: it is in the first line' \
	first '^sonde: calls \([0-9]+\), 1 thread; f_push( \(.*:[0-9]+\))? by .*, [0-9.]+ .s a call; 99 Hz, '
check 'a picture: the last line says what was lost' last "$losses"
check 'and it is there' grep -q '<svg' "$work/x.svg"

target_start calls steady --wait --calls 500 --rate 1000 --work 20000
sonde_start latency -p "$target" f_push --yes -d 30 --json
target_go
target_finish
sonde_finish
check 'latency: the first line, too' \
	first '^sonde: calls \([0-9]+\), 1 thread; f_push( \(.*:[0-9]+\))? by .*, [0-9.]+ .s a call$'
check 'latency: and the last' last '^sonde: [0-9,]+ calls \(all accounted for\)'
check 'latency: calls are all that began' holds 'd["calls"] == d["entries"] ==
	t["functions"]["f_push"]["returned"] and d["returned"] + d["ended"].get("untracked", 0) ==
	d["calls"]' "$out" "$truth"

# What fails leaves what was there.
echo kept >"$work/old.sonde"
target_start calls steady --wait --calls 10
for file in old.sonde new.sonde; do
	sonde_run record -p "$target" -s no_such_function -d 1 -o "$work/$file"
	check "$file: a place that is not there cannot be watched" status_is 1
done
sonde_run record -p "$target" -s f_push -d 1 -o "$work/new.svg" --split 'nothing >'
target_go
target_finish
check 'a recording that was there stays as it was' grep -qx kept "$work/old.sonde"
check 'and none is left that says nothing' bash -c "! ls '$work' | grep 'new\.\|old.sonde\.'"

for suffix in trace.json firefox.json html perfetto callgrind csv; do
	sonde_run report "$work/x.sonde" -o "$work/y.$suffix"
	check "a suffix that is not there yet is an error: .$suffix" bash -c \
		"[ $status = 2 ] && grep -q 'no format with the suffix' '$err' && ! [ -e '$work/y.$suffix' ]"
done

sonde_run report "$work/x.sonde" -o - --format speedscope
check 'speedscope without a split has all of it, and its parts' \
	holds '[p["name"].split(": ")[-1] for p in d["profiles"]][:2] == ["all", "in"] and
		d["profiles"][0]["endValue"] == sum(p["endValue"] for p in d["profiles"][1:])' "$out"
"$sonde" report "$work/x.sonde" --side out --json >"$work/outside"
sonde_run report "$work/x.sonde" --json
check 'functions without a split have their time a call' holds 'd["side"] == "in" and all(
	abs(f["per_call_in_ns"] - f["total_ns"] / span("f_push")["calls"]) < 1 for f in d["functions"])' "$out"
check 'those outside are asked for by --side' holds 'd["side"] == "out" and
	any("nanosleep" in f["name"] for f in d["functions"]) and
	all(f["total_ns"] > 0 == f["self_in_ns"] for f in d["functions"])' "$work/outside"
finish
