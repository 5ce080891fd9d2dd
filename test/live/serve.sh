#!/bin/bash
# live: what it serves, to whom, and what it does not let others do.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/lib.sh"
plan 29
need root
need bpf

page() { timeout -k 5 100 "$python" "$(dirname "$0")/page.py" "$@"; }

# The first byte of a function, as the target has it: cc is a trap.
byte_of() {
	local base
	base=$(awk '/\/calls$/ { split($1, a, "-"); print a[1]; exit }' "/proc/$target/maps")
	dd if="/proc/$target/mem" bs=1 count=1 status=none \
		skip=$((16#$base + 16#$(nm "$targets/calls" | awk -v f="$1" '$3 == f { print $1 }'))) |
		od -An -tx1 | tr -d ' '
}

target_start calls steady --wait --calls 1000000 --rate 500 --work 100000 --seconds 120
target_go

live_start -q -p "$target" -s f_push --yes
check 'live -q prints the address and nothing else' bash -c "[ ! -s '$err' ] && grep -qE \
	'^http://127.0.0.1:[0-9]+/#t=[0-9a-f]{32}$' '$out' && [ \$(wc -l <'$out') = 1 ]"
check 'the place is watched' test "$(byte_of f_push)" = cc
check 'what is wrong is refused with a status and a sentence' page "$address" refusals
check 'nothing comes from elsewhere, and nothing is kept' page "$address" headers
check 'a connection is kept for the next request' page "$address" keep
check 'the tree comes to a page, and grows' page "$address" draws f_push
check 'a page is shown what it asks for' page "$address" shows
check 'a page is sent no more than it draws, and nothing when hidden' page "$address" waits
check 'metrics are as Prometheus reads them' page "$address" metrics
check 'pages without the token, or of another origin, are not let in' page "$address" strangers
check 'nonsense is answered' page "$address" nonsense
check 'broken connections harm nobody' page "$address" broken
check 'what can be watched is found by parts of its name' page "$address" find spi spin 'libc:*'
check 'a place can be watched while it runs, and left again' page "$address" watch spin
check 'what cannot be watched is said' page "$address" refused 404 watch \
	'{"place": "f_pusj"}' 'near: f_push'
check 'fifty pages at once' page "$address" many 50
port=${address#http://127.0.0.1:} port=${port%%/*}
sonde_run -p "$target" --listen "$port" -d 1
check 'a port that is taken is said' bash -c "[ $status = 1 ] && grep -q 'something else does' '$err'"
check 'which costs the first one nothing' page "$address" hello
live_end
check 'Ctrl-C ends it well' status_is 0
check 'and leaves the target as it was' test "$(byte_of f_push)" != cc

live_start -q -p "$target" --read-only --listen "$work/s" --listen 0
check 'a Unix socket is for its owner' test "$(stat -c %a "$work/s")" = 600
check 'who may open it needs no token' page "$work/s" draws f_push
check 'read-only: it can be found' page "$work/s" find spi spin 'libc:*'
check 'read-only: nothing can be watched' page "$work/s" refused 403 watch \
	'{"place": "f_push"}' 'read-only'
check 'a second place to listen at' page "$(sed -n 2p "$out")" hello
live_end
check 'the socket is gone with it' test ! -e "$work/s"

live_start -p "$target" -s f_push --yes
page "$address" sampled
kill -TERM "$target"
target_finish
check 'when the target ends the page stays' page "$address" ended
check 'which is said' says 'the page stays'
live_end
check 'until Ctrl-C' status_is 0
finish
