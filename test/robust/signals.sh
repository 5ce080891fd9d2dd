#!/bin/bash
# Never stuck: signals end sonde in every phase, a reader that stands still holds nothing up
# (neither -d nor the end of the probes), and one that has seen enough is no error.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/../live/lib.sh"
plan 32
need bpf
recording=$(dirname "$0")/../web/shop.sonde

# A shell's background jobs ignore SIGINT; what a person starts does not.  Only behind which &
# stands.
as_person() {
	exec "$python" -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}
# begin COMMAND...: sonde beside us, $tracer, what it says in $err.
begin() {
	: >"$err"
	as_person "$sonde" "$@" >"$out" 2>"$err" </dev/null &
	tracer=$!
	children+=("$tracer")
}
# by PATTERN: until sonde has said so.
by() {
	local tries=0
	until grep -q -- "$1" "$err"; do
		tries=$((tries + 1))
		[ $tries -lt 500 ] && kill -0 "$tracer" 2>/dev/null || { cat "$err"; return 1; }
		sleep 0.02
	done
}
gone() {
	local tries=0
	while kill -0 "$1" 2>/dev/null && [ "$(ps -o stat= -p "$1")" != Z ]; do
		tries=$((tries + 1))
		[ $tries -lt 250 ] || { echo "process $1 is still there"; return 1; }
		sleep 0.02
	done
}
# ends NAME STATUS: sonde does, with that status as a shell says it (128 + the signal).
ends() {
	gone "$tracer" >"$work/said" || kill -KILL "$tracer"
	sonde_finish
	check "$1" status_is "$2"
}
# Links to tracepoints may be there still: they are not in the target.
no_probes() { ! grep -h '^link_type:.*\(uprobe\|perf\)' "/proc/$tracer"/fdinfo/*; }

# A reader that has seen enough.
first_line() { "$sonde" "$@" 2>"$err" | head -1 >"$out"; [ "${PIPESTATUS[0]}" = 0 ] || { cat "$err"; return 1; }; }
check 'the rest of a help is not missed' first_line --help
check 'nor of a report' first_line report "$recording"
check 'nor of one in another format' first_line report "$recording" --format folded
check 'nor of a list' first_line list "$targets/calls" '*'
none_at_all() { "$sonde" report "$recording" --json 2>"$err" | true; [ "${PIPESTATUS[0]}" = 0 ] && [ ! -s "$err" ]; }
check 'nor by a reader that was never there' none_at_all

[ "$(id -u)" = 0 ] || skip_rest 'not root'
check 'nor of what the doctor says' first_line doctor
target_start calls steady --wait --rate 100 --calls 40000 --seconds 300
target_go
check 'nor of a recording' first_line record -q -p "$target" -d 20 -o - --format sonde
check 'nor of a stream of objects' first_line latency -q -p "$target" f_push --yes -d 20 -i 100ms --json

# A command that is waited for, once the time is over.
for signal in TERM HUP INT; do
	begin record -d 0.3 -o "$work/x.sonde" -- sleep 1000
	check "the command is waited for ($signal)" by 'waited for'
	command=$(children_of $tracer)
	kill -$signal $tracer
	ends "SIG$signal is handed on, and both end" $((128 + $(kill -l $signal)))
	check "the command has gone ($signal)" gone "$command"
done
begin record -d 0.3 -o "$work/x.sonde" -- "$python" -c 'import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(20)'
by 'waited for' >"$work/said"
command=$(children_of $tracer)
children+=("$command")
kill -TERM $tracer
sleep 0.3
check 'a command that goes on is waited for' alive $tracer
kill -TERM $tracer
ends 'a second signal ends sonde at once' 143
end_now "$command"
begin record -o "$work/x.sonde" -- sleep 1000
by ' Hz, ' >"$work/said"
sleep 0.2
command=$(children_of $tracer)
kill -TERM $tracer
ends 'while it records, too, it is handed on' 143
check 'and the recording is whole' grep -q ' wrote ' "$err"
end_now "$command"

# A pipe that is full and that nobody reads.
mkfifo "$work/pipe.sonde"
begin record -p "$target" -d 20 -o "$work/pipe.sonde"
check 'a pipe without a reader is waited for, aloud' by 'waiting for who reads'
kill -INT $tracer
ends 'and Ctrl-C ends that' 130
"$python" -c 'import fcntl, os, sys, time
fd = os.open(sys.argv[1], os.O_RDWR | os.O_NONBLOCK)
fcntl.fcntl(fd, 1031, 1 << 20) # F_SETPIPE_SZ
try:
    while True:
        os.write(fd, b"x" * 4096)
except BlockingIOError:
    print("full", flush=True)
time.sleep(60)' "$work/pipe.sonde" >"$work/full" &
reader=$!
children+=("$reader")
until grep -q full "$work/full"; do sleep 0.05; done
begin record -p "$target" -s f_push --yes -d 1 -o "$work/pipe.sonde"
check 'a reader that stands still holds up no -d' by 'wait for who reads'
check 'the probes have gone' no_probes
kill -TERM $tracer
ends 'and a signal ends it at once' 143
begin latency -p "$target" f_push --yes -d 0.5 -i 50ms --json
end_now $tracer
"$sonde" latency -p "$target" f_push --yes -d 0.5 -i 50ms --json 1<>"$work/pipe.sonde" 2>"$err" </dev/null &
tracer=$!
children+=("$tracer")
by 'a call' >"$work/said"
sleep 1.5
check 'nor does one of a stream of objects' no_probes
kill -TERM $tracer
ends 'which ends as well' 143
end_now $reader

# A terminal that is held (Ctrl-S).
held_terminal() {
	"$python" - "$sonde" "$target" <<'END'
import os, pty, signal, sys, termios, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], 'latency', '-p', sys.argv[2], 'f_push', '--yes', '-d', '1.5', '-i', '50ms'])
seen = b''
while b'f_push' not in seen:
    seen += os.read(fd, 4096)
os.write(fd, b'\x13')  # Ctrl-S
def info(n):
    try:
        return open(f'/proc/{pid}/fdinfo/{n}').read()
    except FileNotFoundError:
        return ''
def probes():
    return [n for n in os.listdir(f'/proc/{pid}/fdinfo') if 'uprobe' in info(n)]
had = probes()
end = time.time() + 10
while probes() and time.time() < end:
    time.sleep(0.05)
print('probes', had, 'now', probes())
waits = os.waitpid(pid, os.WNOHANG)[0] == 0
left = bool(probes())
os.write(fd, b'\x03')  # Ctrl-C
end = time.time() + 10
ended = 0
while not ended and time.time() < end:
    ended, status = os.waitpid(pid, os.WNOHANG)
    time.sleep(0.05)
if not ended:
    os.kill(pid, signal.SIGKILL)
print('waits', waits, 'left', left, 'ended', ended)
sys.exit(not (had and waits and not left and ended))
END
}
check 'a terminal that is held keeps no probes, and Ctrl-C ends it' held_terminal

# While it attaches: nothing is left, neither a command nor a file.
mkdir "$work/d"
left=0
for i in $(seq 24); do
	signal=$(echo TERM INT KILL | cut -d' ' -f$((i % 3 + 1)))
	as_person "$sonde" record -q -s f_push --yes -d 20 -o "$work/d/$i.sonde" -- \
		"$targets/calls" steady --rate 100 --calls 400000 >"$work/said" 2>&1 </dev/null &
	tracer=$!
	children+=("$tracer")
	"$python" -c "import time; time.sleep(0.02 + 0.004 * $i)"
	command=$(children_of $tracer)
	kill -$signal $tracer
	gone $tracer >>"$work/left" || left=$((left + 1))
	for pid in $command; do
		# one that runs already goes on without a sonde that was killed
		[ $signal = KILL ] && [ -e "$work/d/$i.sonde" ] || gone "$pid" >>"$work/left" ||
			{ echo "SIG$signal, the $i-th" >>"$work/left"; left=$((left + 1)); }
		kill -KILL "$pid" 2>/dev/null
	done
done
nothing_left() { cat "$work/left"; [ $left = 0 ] && ! ls -A "$work/d" | grep -v '\.sonde$'; }
check 'a signal while it attaches leaves nothing' nothing_left

nohup "$sonde" record -p "$target" -d 1 -o "$work/x.sonde" >"$out" 2>"$err" </dev/null &
tracer=$!
children+=("$tracer")
by ' Hz, ' >"$work/said"
kill -HUP $tracer
ends 'a SIGHUP that is ignored stays so' 0
check 'and the recording is as long as was asked' by ' wrote '
end_now "$target"
finish
