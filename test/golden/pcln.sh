#!/bin/bash
# pcln - unwind rows and names of Go programs, from the table that they carry.
# Runs beside others: nothing of it depends on load.
set -u
build=$(cd "${SONDE_BUILD:-$(dirname "$0")/../../build}" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
rows=$build/test/golden/unwind_rows
program=$build/test/target/routines
work=$(mktemp -d "${TMPDIR:-/tmp}/sonde-pcln.XXXXXX")
trap 'rm -rf "$work"' EXIT
number=0 failures=0

result() { # STATUS NAME
	number=$((number + 1))
	[ "$1" = 0 ] || { printf 'not ' && failures=$((failures + 1)); }
	echo "ok $number - $2"
}

echo 1..5
if [ ! -x "$program" ] || ! command -v readelf >/dev/null; then
	for number in 1 2 3 4 5; do
		echo "ok $number - Go's tables # SKIP no Go compiler, or no readelf"
	done
	exit 0
fi

python3 "$here/pcln_diff.py" "$rows" "$program" >"$work/diff"
status=$?
grep '^#' "$work/diff"
result $status "the CFA is that of .debug_frame: $(tail -n 1 "$work/diff")"

# Stripped, the same program has the same code, rows and names.
"$rows" "$program" >"$work/whole"
"$rows" "${program}_bare" >"$work/bare"
cmp "$work/whole" "$work/bare" && [ "$(wc -l <"$work/bare")" -gt 5000 ]
result $? 'a stripped program has the same rows'
"$rows" "${program}_pie" >"$work/pie"
[ "$(grep -c ' c-16 c-8$' "$work/pie")" -gt 2000 ]
result $? 'one that is relocated has rows'

names() { "$build/sonde" list "$1" 'main.*' --json | grep -o '"place":"main\.[a-z]*"' | sort; }
names "$program" >"$work/named" && names "${program}_bare" >"$work/unnamed"
cmp "$work/named" "$work/unnamed" && grep -q main.down "$work/unnamed"
result $? 'a stripped program has its names'
names "${program}_pie" >"$work/unnamed"
cmp "$work/named" "$work/unnamed"
result $? 'so has one that is relocated'
exit $((failures > 0))
