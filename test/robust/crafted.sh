#!/bin/bash
# Recordings that are full of one thing, made to harm who reads them: what they take is bounded,
# and every question has an answer.  Runs beside others.
. "$(dirname "$0")/../live/lib.sh"

# The most that a reading may take: address space in KiB, CPU seconds.
MEMORY=4000000
CPU_MOST=60

modes=(stacks:1000 recursion:30000 spans:30000 forks:150000 maps:300000 names:50000
	inlines:20000 counts:10000 crowd:100000)
plan $((${#modes[@]} * 3))

bounded() {
	(
		ulimit -v $MEMORY -t $CPU_MOST -c 0
		exec "$@"
	) >"$out" 2>"$err"
}
is_read() { bounded "$sonde" report "$work/x.sonde"; }
# the side with no name of a place: also where thousands are watched
is_split() { bounded "$sonde" report "$work/x.sonde" --split 'thread == "crowd"' --json; }

for mode in "${modes[@]}"; do
	check "a recording full of ${mode%:*}" \
		"$build/test/robust/crafted" "${mode%:*}" "${mode#*:}" "$work/x.sonde"
	check 'it is read' is_read
	check 'and split' is_split
done
finish
