#!/bin/bash
# unwind - our unwind tables are those that readelf reads, on every ELF file of
# the machine that is at most this large (all of them: SONDE_UNWIND_MAX=1000M),
# and code without .eh_frame has those of .debug_frame, wherever that is.
# Runs beside others: nothing of it depends on load.
set -u
build=$(cd "${SONDE_BUILD:-$(dirname "$0")/../../build}" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
rows=$build/test/golden/unwind_rows
max=${SONDE_UNWIND_MAX:-600k}
work=$(mktemp -d "${TMPDIR:-/tmp}/sonde-unwind.XXXXXX")
trap 'rm -rf "$work"' EXIT
number=0 failures=0

result() { # STATUS NAME
	number=$((number + 1))
	[ "$1" = 0 ] || { printf 'not ' && failures=$((failures + 1)); }
	echo "ok $number - $2"
}
skipped() { number=$((number + 1)) && echo "ok $number - $1 # SKIP $2"; }

# compare NAME: what is listed on standard input.
compare() {
	xargs -r -d '\n' python3 "$here/unwind_diff.py" "$rows" >"$work/diff"
	local status=$?
	grep '^#' "$work/diff"
	result $status "$1: $(grep -v '^#' "$work/diff" | tail -n 1)"
}

of_size() { find -H "$@" -maxdepth 1 -type f -size "-$max" | sort; }

[ -x "$rows" ] || { echo "Bail out! $rows was not built"; exit 1; }
echo 1..5
if ! command -v readelf >/dev/null; then
	for name in libraries programs 'realigned stacks' '.debug_frame' 'debug file'; do
		skipped "$name" "readelf is not installed (package binutils)"
	done
	exit 0
fi
compare libraries < <(of_size /usr/lib/x86_64-linux-gnu /usr/lib64 2>/dev/null | grep '\.so')
compare programs < <(of_size /usr/bin /usr/sbin)

cat >"$work/realigned.c" <<'END'
#include <alloca.h>
#include <string.h>
/* a stack that is realigned, and one that is grown */
__attribute__((noinline)) int grown(int n, char *(*f)(char *))
{
	char *p = alloca(n);
	char wide[128] __attribute__((aligned(64)));
	memset(wide, n, sizeof(wide));
	return *f(p) + *f(wide);
}
static char *same(char *p) { return p; }
int main(int argc, char **argv) { return grown(argc * 100, same) + grown(argc, same); }
END
if ! command -v cc >/dev/null; then
	for name in 'realigned stacks' '.debug_frame' 'debug file'; do
		skipped "$name" "there is no C compiler"
	done
	exit $((failures > 0))
fi
cc -O2 -fomit-frame-pointer "$work/realigned.c" -o "$work/realigned" || exit 1
compare 'realigned stacks' <<<"$work/realigned"

# No .eh_frame for our own code, a compressed .debug_frame, then in a file of its own.
cc -O2 -g -gz -fno-asynchronous-unwind-tables -fno-unwind-tables "$work/realigned.c" \
	-o "$work/bare" || exit 1
compare '.debug_frame' <<<"$work/bare"
objcopy --only-keep-debug "$work/bare" "$work/bare.debug" &&
	objcopy --strip-all --add-gnu-debuglink="$work/bare.debug" "$work/bare" "$work/stripped"
"$rows" "$work/bare" >"$work/whole" && "$rows" "$work/stripped" >"$work/split" &&
	cmp "$work/whole" "$work/split" && [ "$(grep -c ' c-8$' "$work/split")" -gt 5 ]
result $? 'debug file: the same rows as from the whole file'
exit $((failures > 0))
