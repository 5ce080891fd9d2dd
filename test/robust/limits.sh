#!/bin/bash
# With few files allowed it says so, and never aborts.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/../live/lib.sh"
plan 15
need bpf
recording=$(dirname "$0")/../web/shop.sonde

# limited N ARGS...: no more than N files may be open.
limited() {
	local most=$1
	shift
	(ulimit -n "$most" && exec timeout -k 5 60 "$sonde" "$@") >"$out" 2>"$err" </dev/null
	status=$?
}
# Ends with a sentence or its work, never by a signal, whatever the limit is.
never_aborts() {
	local n
	for n in 4 5 6 7 8 9 10 12 14 16 20 25 30 40 60 100; do
		limited $n "$@"
		[ $status -lt 124 ] || { echo "ulimit -n $n: status $status"; cat "$err"; return 1; }
		[ $status = 0 ] || grep -q '^sonde: ' "$err" || [ -s "$out" ] ||
			{ echo "ulimit -n $n: no sentence"; cat "$err"; return 1; }
	done
}
check 'a report never aborts' never_aborts report "$recording"
limited 20 report "$recording"
check 'and can do with few' status_is 0
check 'nor does a page' never_aborts open "$recording" --listen "$work/no/such/folder/x.sock"
check 'nor doctor' never_aborts doctor
check 'nor list' never_aborts list "$targets/calls" 'f_*'

[ "$(id -u)" = 0 ] || skip_rest 'not root'
target_start calls steady --wait --rate 100 --calls 9000
target_go
check 'nor record' never_aborts record -p "$target" -s f_push --yes -d 0.1 -o "$work/x.sonde"
limited 100 record -p "$target" -d 0.1 -o "$work/x.sonde"
check 'what is missing is said' says 'ulimit -n 1024'
limited 256 record -p "$target" -s f_push --yes -d 0.3 -o "$work/x.sonde"
check 'with as many as it asks for it works' status_is 0

# What is allowed but not used by default is used; a command has what it would have.
soft() { (ulimit -S -n 64 && exec "$sonde" "$@") >"$out" 2>"$err" </dev/null; status=$?; }
soft record -p "$target" -s f_push --yes -d 0.3 -o "$work/x.sonde"
check 'the soft limit is none' status_is 0
soft record -q -d 5 -o "$work/x.sonde" -- sh -c 'ulimit -S -n'
check 'and a command has its own' test "$(cat "$out")" = 64
check 'which runs' status_is 0
end_now "$target"

# More files of code than may be open: each is read, and none has to stay open.
libraries=520
mkdir "$work/shelf"
for i in $(seq $libraries); do cp "$targets/libturns_a.so" "$work/shelf/$i.so"; done
target_start shelf "$work/shelf" --wait --calls $libraries --work 1500000
printf '#!/bin/sh\nulimit -n 256\nexec "%s" "$@"\n' "$sonde" >"$work/limited"
chmod +x "$work/limited"
unlimited=$sonde sonde=$work/limited
sonde_start record -p "$target" -d 30 -F 999 -o "$work/shelf.sonde"
target_go
target_finish
sonde_finish
sonde=$unlimited
check 'of twice as many libraries as files may be open' grep -q "\"libraries\":$libraries" "$truth"
check 'nothing is warned of' sh -c "! grep -q 'warning\|not \|ulimit' '$err'"
sonde_run report "$work/shelf.sonde" --json
# as many ticks of 1 ms as there are libraries of 2 ms and more: not each is hit
check 'what they did has its name' holds \
	'sum(f["self_ns"] for f in d["functions"] if f["name"] == "churn") > 0.9 * t["work_ns"]' \
	"$out" "$truth"
check 'and its stacks are whole' holds 'd["losses"]["stacks_truncated"] <= 5' "$out"
finish
