#!/bin/bash
# Calls of a program in Go: on goroutines that move from thread to thread, on stacks that
# grow and shrink, left by panics and by Goexit; each is counted by how it ended, and
# samples are those of their own work.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/lib.sh"
plan 20
need root
need bpf
[ -x "$targets/goroutines" ] || skip_rest "there is no Go compiler"

functions='climb serve raise mend guard anew guard_anew fault quit last'
every='all(span(f)["calls"] == c["entries"] and span(f)["open"] == 0 and
	all(n == c.get(reason, 0) for reason, n in span(f)["ended"].items())
	for f, c in t["functions"].items())'
spans=()
for place in $functions; do spans+=(-s "main.$place"); done

for program in goroutines goroutines_bare goroutines_pie; do
	"$targets/$program" </dev/null | sed '/^ready/d; s/,"waited.*//' >"$work/bare"
	target_start $program --wait
	sonde_start record -p "$target" "${spans[@]}" --yes -F 199 -d 60 -o "$work/x.sonde"
	target_go
	target_finish
	sonde_finish
	check "$program: it ends well" exited_well
	check "$program: it prints what it prints alone" \
		cmp "$work/bare" <(sed 's/,"waited.*//' "$truth")
	sonde_run report "$work/x.sonde" --json
	check "$program: every call is counted by how it ended" holds "$every" "$out" "$truth"
	check "$program: nothing is lost" holds 'd["losses"]["ring"] == 0' "$out"
done

# share SIDE FUNCTION: how many of the side's samples of work are in FUNCTION
share() {
	sonde_run report "$work/x.sonde" --split 'dur > 0ms' --side "$1" -o "$work/x.folded"
	awk -v f="$2" '/main.burn_/ { n += $NF; if (index($0, f)) in_f += $NF }
		END { printf "%d %d\n", in_f, n }' "$work/x.folded"
}
only() { share "$1" "$2" | { read -r in_f n; [ "$n" -gt 100 ] && [ "$in_f" = "$n" ] || { echo "$in_f of $n"; false; }; }; }

target_start goroutines --wait --work 2000000 --rounds 100
sonde_start record -p "$target" -s main.serve --yes -F 999 -d 60 -o "$work/x.sonde"
target_go
target_finish
sonde_finish
check 'samples inside are of that call'\''s own work' only in main.burn_inside
check 'what runs while it waits is outside' only out main.burn_outside
sonde_run report "$work/x.sonde" --json
check 'all calls are balanced' holds 'balanced(span()) and span()["ended"]["return"] == 100' "$out"

# durations: a call lasts while its goroutine waits
target_start goroutines --wait --work 500000 --rounds 100
sonde_start record -p "$target" -s main.serve --yes -F 99 -d 60 -o "$work/x.sonde"
target_go
target_finish
sonde_finish
sonde_run report "$work/x.sonde" --json
check 'a call lasts while its goroutine waits' holds 'span()["ended"]["return"] == 100 and
	near(100 * span()["mean_ns"], t["waited_ns"], .05)' "$out" "$truth"

target_start goroutines --wait --rounds 5000
sonde_start record -p "$target" -s main.climb -s main.quit --yes -F 199 -d 1 -o "$work/x.sonde"
target_go
sonde_finish
check 'sonde goes while calls are open: they are counted so' holds '
	all(balanced(s) and s["open"] == 0 for s in d["spans"]) and
	d["spans"][0]["ended"]["return"] > 0' <("$sonde" report "$work/x.sonde" --json)
end_now "$target"

# it dies in the middle
target_start goroutines --wait --rounds 100000
sonde_start record -p "$target" "${spans[@]}" --yes -F 199 -d 20 -o "$work/x.sonde"
target_go
sleep 1
end_now "$target"
sonde_finish
sonde_run report "$work/x.sonde" --json
check 'killed in the middle: every call is accounted for' \
	holds 'all(balanced(s) and s["open"] == 0 for s in d["spans"])' "$out"

# what cannot be
target_start goroutines --wait
sonde_run latency -p "$target" --exit hook main.burn_inside -d 1
check 'a return hook is refused' says 'is Go'
sonde_run latency -p "$target" --exit bracket main.burn_inside -d 1
check 'and a bracket' says 'is Go'
end_now "$target"
finish
