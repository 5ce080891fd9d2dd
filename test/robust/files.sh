#!/bin/bash
# What a person has is not lost: a command that fails leaves files as they were, an answer
# is never written over what it comes from, and no message lands in a recording.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/../live/lib.sh"
plan 33
need bpf

mkdir "$work/d"
d=$work/d
recording=$(dirname "$0")/../web/shop.sonde

# kept NAME FILE: it holds what old() put there, and nothing else is in the folder.
old() { rm -f "$d"/* && echo old >"$d/$1"; }
kept() { [ "$(cat "$d/$1")" = old ] && [ "$(ls -A "$d")" = "$1" ] || { ls -la "$d"; return 1; }; }
# fails NAME FILE ARGS...: the command fails with a sentence and FILE is what it was.
fails() {
	local name=$1 file=$2
	shift 2
	old "$file"
	sonde_run "$@"
	check "$name: it fails" fails_with_a_sentence
	check "$name: what was there is there" kept "$file"
}
fails_with_a_sentence() {
	[ "$status" -ne 0 ] && [ "$status" -lt 120 ] && grep -q '^sonde: [a-z0-9'\'']' "$err" &&
		! grep -q ' wrote ' "$err"
}
is_whole() { "$sonde" report "$1" >/dev/null 2>"$work/report.err" && [ ! -s "$work/report.err" ]; }

# Bit 25 - 1 of what is ignored is SIGXFSZ.
starts_with_default() {
	"$sonde" record -q -d 5 -o "$d/b.sonde" -- grep SigIgn /proc/self/status >"$work/ignored" 2>&1
	[ $((0x$(awk '{ print $2 }' "$work/ignored") & 0x1001000)) = 0 ] || { cat "$work/ignored"; return 1; }
}

# Needs no rights.
for how in same link hard; do
	rm -rf "${d:?}"/*
	cp "$recording" "$d/a.sonde"
	to=$d/a.sonde
	case $how in
	link) to=$d/b.svg && ln -s a.sonde "$to" ;;
	hard) to=$d/b.svg && ln "$d/a.sonde" "$to" ;;
	esac
	sonde_run report "$d/a.sonde" --format svg -o "$to"
	check "an answer over its recording ($how) is refused" says 'another file'
	check "and the recording ($how) stays" cmp "$d/a.sonde" "$recording"
done
sonde_run diff "$recording" "$d/a.sonde" --format json -o "$d/a.sonde"
check 'nor over one of two' says 'another file'
fails 'an unknown format' a.xyz report "$recording" -o "$d/a.xyz"
fails 'a wrong split' a.svg report "$recording" --split 'dur >' -o "$d/a.svg"
fails 'no such recording' a.svg report "$work/none.sonde" -o "$d/a.svg"
old a.svg
chmod 640 "$d/a.svg"
sonde_run report "$recording" -o "$d/a.svg"
check 'a picture takes the place of the old one' grep -q '</svg>' "$d/a.svg"
check 'and has its mode' test "$(stat -c %a "$d/a.svg")" = 640
"$sonde" report "$recording" >&- 2>"$err"
check 'without standard output there is an error' grep -q 'cannot write' "$err"

[ "$(id -u)" = 0 ] || skip_rest 'not root'
target_start calls steady --wait --rate 100 --calls 1500
target_go

sonde_run record -p "$target" -F 4294967296 -d 0.2 -o "$d/x.sonde"
check 'more hertz than a number holds' says "'-F' wants"
fails 'too many hertz' a.sonde record -p "$target" -F 900000 -d 1 -o "$d/a.sonde"
fails 'a thread that is not' a.sonde record -p "$target" --thread nobody -d 1 -o "$d/a.sonde"
fails 'a function that is not' a.svg record -p "$target" -s f_pusj -d 1 -o "$d/a.svg"

# Messages with nowhere to go go nowhere.
rm -f "$d"/*
"$sonde" record -p "$target" -d 0.3 -o "$d/a.sonde" <&- >&- 2>&-
check 'a recording without standard files is made' test $? = 0
check 'and is whole' is_whole "$d/a.sonde"
"$sonde" record -p "$target" -d 0.3 -o - --format sonde 2>&- >"$d/b.sonde"
check 'one to standard output, without standard error, too' is_whole "$d/b.sonde"

# Where sonde chooses the name nobody else chooses the file.
rm -f "$d"/*
name=calls-$target.sonde
ln -s "$d/elsewhere" "$d/$name"
(cd "$d" && timeout 20 "$sonde" record -p "$target" -d 0.2) 2>"$err"
check 'a chosen name that is a link is refused' grep -q 'no plain file.*-o FILE' "$err"
check 'and nothing is written through it' test ! -e "$d/elsewhere"
rm -f "$d"/*
mkfifo "$d/$name"
(cd "$d" && timeout 20 "$sonde" record -p "$target" -d 0.2) 2>"$err"
check 'nor waits it for who reads a pipe of that name' grep -q 'no plain file' "$err"
rm -f "$d"/*

# Files that may not grow.
"$shop" >/dev/null &
children+=($!)
(ulimit -f 16 && exec timeout 40 "$sonde" record -p $! -F 999 -d 30 -o "$d/a.sonde") 2>"$err"
status=$?
check 'a file that may not grow ends it with a sentence' grep -q 'cannot write.*are kept' "$err"
check 'nothing is said to be written' fails_with_a_sentence
sonde_run report "$d/a.sonde" --json
check 'what it has can be asked' holds 'd["cut"] and d["samples"] > 100' "$out"
check 'a command has the signal as it was' starts_with_default
kill -KILL "$target" 2>/dev/null
finish
