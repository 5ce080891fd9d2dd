#!/bin/bash
# list, doctor, diff, the shared options, and every command's --help.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/lib.sh"
plan 32
need root
need bpf

for command in live record report latency diff list doctor; do
	sonde_run $command --help
	check "$command --help says how it is used" \
		bash -c "[ $status = 0 ] && grep -q 'sonde $command' '$out' && grep -qi example '$out'"
done
sonde_run --version
check '--version says which' grep -q '[0-9]\.[0-9]' "$out"

target_start calls steady --wait --calls 200 --rate 100 --work 100000

# list: what nm knows, at a price
sonde_run list -p "$target" 'f_*' --json
check 'list finds the functions that nm does' test "$(wc -l <"$out")" = \
	"$(nm "$targets/calls" | grep -c ' [Tt] f_')"
sonde_run list -p "$target" f_push --json
check 'list --json has the keys scripts rely on' holds \
	"all(k in d for k in ('place', 'image', 'address', 'size', 'file', 'line', 'price', 'price_ns', 'exit', 'reason'))" "$out"
check 'its size is what nm says' test "$(value "$out" 'd["size"]')" = \
	"$((16#$(nm -S "$targets/calls" | awk '$4 == "f_push" { print $2 }')))"
sonde_run list "$targets/linger" linger_in --json
check 'where nothing forks a push is cheap, its end a hook' holds \
	"d['price'] == 'cheap' and d['exit'] == 'hook' and 0 < d['price_ns'] < 1e6" "$out"
sonde_run list "$targets/calls" '*'
check 'list takes a file, and lists all' test "$(wc -l <"$out")" -gt 20
sonde_run list "$targets/throw" '*'
check 'a program that throws gets no hook, and is told why' bash -c "grep -qi 'catch\|throw\|exception' '$out' '$err'"
sonde_run list "$targets/calls" --stats --json
check 'list --stats counts every function once, watched or not' holds \
	"d['functions'] == d['watched'] + sum(d['not_watched'].values()) and d['functions'] >= d['watched'] >= d['cheap_exits'] >= d['both_cheap'] > 0" "$out"
sonde_run list "$targets/calls" f_push --stats
check 'list --stats is about what the place stands for' grep -q '^calls: 1 function$' "$out"
sonde_run list /etc/hostname
check 'a file that is no program is refused' bash -c "[ $status != 0 ] && grep -q '^sonde: ' '$err'"
sonde_run list -p "$target" calls.c
# its code begins on the line of the brace
line=$(grep -n '^KEPT uint64_t f_push(' "$(dirname "$0")/../target/calls.c" | cut -d: -f1)
check 'list FILE.c shows lines with code' grep -q "calls.c:$((line + 1)) .*f_push\$" "$out"

# doctor
sonde_run doctor
check 'doctor says what this machine allows' bash -c "[ $status = 0 ] && grep -q 'costs here' '$out'"
sonde_run doctor --json
check 'doctor --json is one object' holds "d['checks']['load_bpf']['ok'] is True" "$out"
sonde_run doctor -p "$target"
check 'doctor -p says what the target is' grep -q 'calls' "$out"

# --dry-run attaches nothing
sonde_run record -p "$target" -s f_push --dry-run
check '--dry-run says what would be' bash -c "[ $status = 0 ] && grep -q 'would be attached' '$err'"
check 'and attaches nothing' bash -c "! grep -q uprobes /proc/$target/maps"
sonde_run record -p "$target" -s 'c:*' -d 0.2 -o "$work/dear.sonde"
check 'a place of thousands of functions is asked about' bash -c "[ $status = 2 ] && grep -q -- --yes '$err'"

# threads
sonde_run record -p "$target" --thread 'no such*' -d 0.2 -o "$work/none.sonde"
check 'a thread that is not there is an error' bash -c "[ $status != 0 ] && grep -q 'no such' '$err'"
sonde_run record -t "$target" -d 0.2 -o "$work/one.sonde"
check 'one thread can be asked for by number' status_is 0
target_go
target_finish

# diff: twice the work shows as more of the function that works
for n in 1 2; do
	target_start calls steady --wait --calls 300 --rate 200 --work $((n * 400000)) --threads 1
	sonde_start record -p "$target" -F 499 -d 20 -o "$work/$n.sonde"
	target_go
	target_finish
	sonde_finish
done
sonde_run diff "$work/1.sonde" "$work/2.sonde" --json
check 'diff finds what grew' holds \
	"d['functions'][0]['extra_ns'] > 0 and any(f['name'] == 'spin' for f in d['functions'][:8])" "$out"
sonde_run diff "$work/1.sonde" "$work/2.sonde" -o "$work/d.svg"
check 'diff draws it' grep -q '<svg' "$work/d.svg"
sonde_run diff "$work/1.sonde" "$work/nothing.sonde"
check 'a recording that is not there is said to be' bash -c "[ $status = 1 ] && grep -q nothing.sonde '$err'"
sonde_run record --split 'dur > p95' -p $$ -d 0.1 -o "$work/x.svg"
check 'a split without calls is refused before anything is recorded' status_is 2

# debug info beside the program
objcopy --only-keep-debug "$targets/calls" "$work/apart.debug"
objcopy --strip-all --add-gnu-debuglink="$work/apart.debug" "$targets/calls" "$work/apart"
target_start "$work/apart" steady --wait --calls 10
sonde_run doctor -p "$target"
check 'doctor finds debug info in a file of its own' \
	grep -q 'apart: .*debug info in a file of its own' "$out"
sonde_run list -p "$target" f_push
check 'its functions are found by name' grep -q f_push "$out"
target_go
target_finish
finish
