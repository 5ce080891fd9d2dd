#!/bin/bash
# A recording is foreign input: cut anywhere, with flipped bits or of another
# version, it is answered or refused in words, quickly, and never crashes.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/lib.sh"
plan 9
need root
need bpf

target_start calls steady --wait --rate 500 --calls 1000 --work 200000
sonde_start record -p "$target" -s f_push --yes -F 499 -d 20 -o "$work/x.sonde"
target_go
target_finish
sonde_finish
check 'a recording is made' status_is 0
size=$(stat -c %s "$work/x.sonde")
echo "# $size bytes"

# Answered, or refused (1: cannot be read, 2: is no recording) with a sentence.
refused() {
	[ "$status" = 1 ] || [ "$status" = 2 ] && grep -q '^sonde: ' "$err" && return
	echo "status $status"
	cat "$err"
	return 1
}
answered() {
	sonde_limit=10 sonde_run report "$1" --split 'dur > p95' --json
	[ "$status" = 0 ] || refused || { echo "$1 ($2)"; return 1; }
}

each_cut() {
	local at
	for at in 0 1 7 8 15 16 17 31 32 63 64 100 128 $(shuf -i "1-$size" -n 40); do
		head -c "$at" "$work/x.sonde" >"$work/cut.sonde"
		answered "$work/cut.sonde" "cut at $at" || return 1
	done
}

each_flip() {
	local at
	for at in 0 1 4 7 8 9 12 15 16 20 24 28 32 40 48 $(shuf -i "0-$((size - 1))" -n 60); do
		cp "$work/x.sonde" "$work/flip.sonde"
		"$python" - "$work/flip.sonde" "$at" <<'END'
import sys
with open(sys.argv[1], 'r+b') as f:
    f.seek(int(sys.argv[2]))
    b = f.read(1)[0]
    f.seek(int(sys.argv[2]))
    f.write(bytes([b ^ 1 << int(sys.argv[2]) % 8]))
END
		answered "$work/flip.sonde" "flipped at $at" || return 1
	done
}

check 'cut anywhere' each_cut
check 'bits flipped anywhere' each_flip
head -c $((size * 9 / 10)) "$work/x.sonde" >"$work/cut.sonde"
sonde_run report "$work/cut.sonde" --json
check 'cut near its end, what is whole can be read' holds 'd["cut"] and d["samples"] > 0' "$out"
: >"$work/empty.sonde"
sonde_run report "$work/empty.sonde"
check 'an empty file is refused' refused
sonde_run report /bin/ls
check 'another file is refused' refused
check 'and said to be no recording' says 'recording'
sonde_run report /dev/zero
check 'an endless one too' refused

# Asked on another machine: what names need is inside.
sonde_run report "$work/x.sonde" --json
cp "$out" "$work/here.json"
mv "$targets/calls" "$work/calls.moved"
sonde_run report "$work/x.sonde" --json
mv "$work/calls.moved" "$targets/calls"
check 'names do not need the binary' \
	holds '[f["name"] for f in d["functions"]] == [f["name"] for f in t["functions"]]' "$out" "$work/here.json"
finish
