#!/bin/bash
# Stacks of a program in Go: whole on every stack it has, exactly what it can do,
# with names, also where it is stripped and where it is relocated.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/lib.sh"
plan 12
need root
need bpf
[ -x "$targets/routines" ] || skip_rest "there is no Go compiler"

# Of stacks with work in them, how many begin with a goroutine's start and go down
# as the program does: lines "legal N" and "other N".
judge() {
	"$sonde" report "$work/x.sonde" -o - --format folded 2>"$err" |
		sed 's/\.abi0//g' | awk '
		/;main\.down;/ && /;main\.leaf[; ]/ {
			n = $NF
			sub(/ [0-9]+$/, "")
			downs = gsub(/main\.down;/, "")
			# a signal, or the way into the scheduler, may be met behind the leaf
			known = /^runtime\.goexit;(main\.main\.func[0-9.]+;)+main\.round;main\.leaf(;runtime\..*)?$/
			count[downs == 41 && known] += n
		}
		END { printf "{\"legal\": %d, \"other\": %d}\n", count[1], count[0] }' >"$work/judged"
}

# Where one is not named, its stack is shown.
all_named() {
	holds "d['losses']['frames_unresolved'] == 0" "$out" && return
	"$sonde" report "$work/x.sonde" -o - --format folded 2>"$err" | grep -F '[unknown]'
	return 1
}

for program in routines routines_bare routines_pie; do
	target_start $program --seconds 60
	sonde_run record -U -p "$target" -F 999 -d 3 -o "$work/x.sonde"
	sonde_run report "$work/x.sonde" --json
	check "$program: 99.9 % of the stacks are whole" holds "d['losses']['stacks'] >= 500 and
		d['losses']['stacks_truncated'] + d['losses']['stacks_unreadable'] <=
		.001 * d['losses']['stacks']" "$out"
	check "$program: every frame has a name" all_named
	judge
	check "$program: all stacks of its work are what it can do" \
		holds "d['legal'] >= 200 and d['other'] == 0" "$work/judged"
	target_stop
	check "$program: it ends well" exited_well
done
finish
