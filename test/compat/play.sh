# shellcheck shell=bash
# play - what the scripts of the compatibility suite share.  Sourced.
#
# A scene is played alone, and again while it is watched: by one `latency` from its
# first call to its last, and beside it by one `record` after the other, so that
# probes of the same functions come and go all the time.  Both with what a user has
# who asks for nothing, --exit auto, unless the scene asks for more.
#
# With COMPAT_TABLE=FILE each scene is played once more, under return hooks of another
# tracer, and a row of what became of it is added to the file (tools/compat-table).
. "$(dirname "${BASH_SOURCE[0]}")/../live/lib.sh"
scenes=$build/test/compat

# Results of each scene.
RESULTS=4
all_return='d["ended"]["return"] == t["entries"]'

# What is known of the number of calls; a scene that cannot count them all says what it
# can.
counted='d["entries"] == t["entries"]'

# What is not as ever, in words: what sonde is asked for besides; what the scene runs
# under while it is watched; what is done before each of its runs, and once it has begun.
how=
asked=()
under=()
before=
meanwhile=

skip_scene() {
	local i
	for ((i = 0; i < RESULTS; i++)); do
		skip "$1" "$2"
	done
}

# Watches the target again and again until it is gone, a tenth of a second each: the
# number of recordings in $visits; what does not add up in $work/unsound.
visit() {
	local place=$1 out=$work/visit err=$work/visit.err
	visits=0
	: >"$work/unsound"
	while kill -0 "$watched" 2>/dev/null && [ $visits -lt 100 ]; do
		sonde_run record -p "$watched" -s "$place" -F 499 -d 0.1 --yes "${asked[@]}" -o "$work/visit.sonde"
		if [ "$status" != 0 ]; then
			# the last one may come too late, while it is ending
			sleep 1
			kill -0 "$watched" 2>/dev/null && cat "$err" >>"$work/unsound"
			break
		fi
		visits=$((visits + 1))
		sonde_run report "$work/visit.sonde" --json
		# what the shell itself says meanwhile (that the target was aborted) is no failure
		holds 'd["spans"] and all(balanced(s) for s in d["spans"])' "$out" >"$work/holds" 2>&1 ||
			cat "$work/holds" "$err" >>"$work/unsound"
	done
}

visited() {
	[ "$visits" -ge 2 ] || { echo "$visits recordings"; cat "$work/visit.err"; return 1; }
	[ ! -s "$work/unsound" ] || { cat "$work/unsound"; return 1; }
}

# What became of a run, for the table: outcome STATUS PRINTED ENDS, as words.
outcome() {
	if [ "$1" = "$bare_status" ]; then
		cmp -s "$work/bare" "$2" && echo "as alone; $3" || echo "**prints something else**; $3"
	elif [ "$1" -gt 128 ]; then
		echo "**ended by SIG$(kill -l "$1")**; $3"
	else
		echo "**exit status $1**; $3"
	fi
}

# Plays it once more, under another tracer's probes at the entries and returns of the
# same functions: its ends in words.
hooked() {
	local path=$program tries=0 tracer
	eval "$before"
	target_start "${under[@]}" "$program" "$scene" --rate "$rate" --wait "$@"
	watched=$(sed -n 's/^ready //p' "$truth")
	eval "$meanwhile"
	[ -e "/proc/$watched/exe" ] && path=/proc/$watched/exe
	bpftrace -p "$watched" -e "uprobe:$path:$place { @entries = count(); }
		uretprobe:$path:$place { @ends = count(); }" >"$work/hooks" 2>&1 </dev/null &
	tracer=$!
	children+=("$tracer")
	until grep -q Attaching "$work/hooks" || [ $tries -ge 250 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
	sleep 2
	target_go
	target_finish
	sleep 0.5
	kill -INT "$tracer" 2>/dev/null
	{ wait "$tracer"; } 2>/dev/null
	hooked_ends="$(sed -n 's/^@ends: //p' "$work/hooks") ends of $(sed -n 's/^@entries: //p' "$work/hooks") calls"
	[[ $hooked_ends == [0-9]*of\ [0-9]* ]] || hooked_ends=$(grep -v '^$' "$work/hooks" | tail -1)
}

# A row of the table: LANGUAGE | SCENE | OTHER | SONDE.
row() {
	local seen language=C
	case ${0##*/} in cc_*) language=C++ ;; rs_*) language=Rust ;; go_*) language=Go ;; esac
	seen=$(outcome "$target_status" "$truth" \
		"$(value "$out" '", ".join(f"{k} {n}" for k, n in d["ended"].items() if n)')")
	hooked "$@"
	echo "| $language | $said | $(outcome "$target_status" "$truth" "$hooked_ends") | $seen |" >>"$COMPAT_TABLE"
}

same_end() { [ "$target_status" = "$bare_status" ] || { echo "$target_status, alone $bare_status"; return 1; }; }

# Plays it while it is watched: watch PROGRAM SCENE PLACE RATE [OPTION...].
watch() {
	local program=$1 scene=$2 place=$3 rate=$4
	shift 4
	eval "$before"
	target_start "${under[@]}" "$program" "$scene" --rate "$rate" --wait "$@"
	watched=$(sed -n 's/^ready //p' "$truth")
	eval "$meanwhile"
	sonde_start latency -p "$watched" --yes "${asked[@]}" --json -d 100 \
		-i 100 "$place"
	target_go
	visit "$place"
	target_finish
	sonde_finish
}

# A scene lasts some seconds, and on a busy machine a recording too: it is watched again,
# each time at half the rate.
WATCHES_MOST=4

# play PROGRAM SCENE PLACE RATE 'expression of the ends' [OPTION...]: in the expression
# d is latency's document, t the target's own.
play() {
	local program=$1 scene=$2 place=$3 rate=$4 ends=$5 said=$2 i
	shift 5
	[[ $program == /* ]] || program=$scenes/$program
	[ -z "$how" ] || said="$scene, $how"
	eval "$before"
	timeout 60 "$program" "$scene" "$@" </dev/null >"$work/bare" 2>"$work/bare.err"
	bare_status=$?
	sed -i '/^ready/d' "$work/bare"
	for ((i = 0; i < WATCHES_MOST; i++)); do
		watch "$program" "$scene" "$place" "$rate" "$@"
		# what does not add up is not tried again
		[ $visits -lt 2 ] && [ ! -s "$work/unsound" ] || break
		[ "$rate" -lt 2 ] || rate=$((rate / 2))
	done
	check "$said: prints what it prints alone" cmp "$work/bare" "$truth"
	check "$said: ends as it ends alone" same_end
	check "$said: each call is counted once, with its end" \
		holds "d['entries'] == sum(d['ended'].values()) + d['open'] and $counted and ($ends)" \
		"$out" "$truth"
	check "$said: so it is in each recording beside it" visited
	[ -z "${COMPAT_TABLE:-}" ] || row "$@"
}
