# shellcheck shell=bash
# soak - what the long tests share: a real program at work while probes of its functions
# come and go, once a second or as fast as they can be put there.  Sourced.
#
# A program is run alone, and again for as long while it is watched: by one `latency` from
# its first call to its last, and by a `record` and a `latency` in turns, each with probes
# of its own.  What it gives its users must be the same.  SOAK_SECONDS says how long; short
# unless asked for, `make soak` asks for a minute.
. "$(dirname "${BASH_SOURCE[0]}")/../live/lib.sh"
seconds=${SOAK_SECONDS:-6}
soaked=$build/test/soak

# Prints the processes to visit, with commas between; of the target PID.
visited() { echo "$1"; }

# Probes come and go until the target is gone or $work/over is there: each visit is a line
# of $work/visits, what does not add up is in $work/unsound.
come_and_go() {
	local target=$1 pid place=$2 out=$work/visit err=$work/visit.err
	: >"$work/visits" && : >"$work/unsound"
	while kill -0 "$target" 2>/dev/null && [ ! -e "$work/over" ]; do
		pid=$(visited "$target")
		sonde_run record -p "$pid" -s "$place" -F 499 -d 0.5 --yes -o "$work/visit.sonde"
		[ "$status" != 0 ] || sonde_run report "$work/visit.sonde" --json
		note 'd["spans"] and all(balanced(s) for s in d["spans"])' 'sum(s["calls"] for s in d["spans"])' || continue
		sonde_run latency -p "$pid" -d 0.5 -i 10 --yes --json "$place"
		note 'balanced(d)' 'd["calls"]' || continue
	done
}

all_live() {
	local each
	for each; do kill -0 "$each" 2>/dev/null || return; done
}

# One visit: false when it failed, which it may when one it was to visit went away before
# it: the target, or one of several (a backend whose client is done).
note() {
	if [ "$status" != 0 ]; then
		if [ ! -e "$work/over" ] && all_live "$target" ${pid//,/ }; then
			cat "$err" >>"$work/unsound"
			touch "$work/over"
		fi
		return 1
	fi
	holds "$1" "$out" >>"$work/unsound" 2>&1
	value "$out" "$2" >>"$work/visits"
}

# soak_begin PID PLACE [VISITED]: watches, all the time and (there or at VISITED) now and
# then.
soak_begin() {
	rm -f "$work/over"
	sonde_start latency -p "$1" --yes --json -d 1000 -i 1000 "$2"
	watcher=$tracer
	come_and_go "$1" "${3:-$2}" &
	visitor=$!
	children+=("$visitor")
}

soak_end() {
	touch "$work/over"
	kill -INT "$watcher" 2>/dev/null
	{ wait "$watcher"; } 2>/dev/null
	status=$?
	{ wait "$visitor"; } 2>/dev/null
}

# Every visit adds up, and some saw calls.  Nothing here is timed: how many there were is
# only said.
visits_are_sound() {
	[ ! -s "$work/unsound" ] || { head -20 "$work/unsound"; return 1; }
	grep -q '^[1-9]' "$work/visits"
}

visits() { echo "$(wc -l <"$work/visits") times, $(grep -c '^[1-9]' "$work/visits") with calls"; }
