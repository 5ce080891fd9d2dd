#!/usr/bin/env python3
"""kills - ends a tool at chosen moments and looks at its target's code afterwards.

	kills.py PID TIMES LIMIT_MSEC MOMENT COMMAND...

COMMAND watches PID and would go on for long.  It is started TIMES times and ended, with its
process group, at a MOMENT:
	any		between its first instruction and twice the time that its start takes, by
			SIGINT and by SIGKILL in turn
	attaching	by SIGKILL once the first probe is seen
	detaching	by SIGKILL once the first is gone after a SIGINT
A run that has no probes any more by then is one more, which does not count among TIMES.
Then all that PID has mapped from files as code must be as it was
before the first start, LIMIT_MSEC after SIGKILL or the end of the command at the latest.

Prints one line of JSON: times; good, those after which the code was as before in time;
probed, those that ended with probes in it; longest_ms, the longest that took; start_ms;
wrong, what was otherwise.
"""
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

# Without probes by then, the command has failed.
START_LIMIT = 20.0
# An end in order takes less.
END_LIMIT = 10.0
# Runs for each that counts: a whole detaching may take less than one look at the code.
TRIES = 10
# After the limit: it is looked at once more so much later, to tell late from never.
LATE = 2.0


def code_of(pid, path='/'):
    """(start, length) of what is mapped from files, those whose path begins so, and can be
    executed."""
    parts = []
    with open(f'/proc/{pid}/maps') as maps:
        for line in maps:
            fields = line.split(None, 5)
            if 'x' in fields[1] and len(fields) == 6 and fields[5].startswith(path):
                start, end = (int(part, 16) for part in fields[0].split('-'))
                parts.append((start, end - start))
    return parts


def sum_of(pid, parts):
    total = hashlib.sha1()
    with open(f'/proc/{pid}/mem', 'rb', buffering=0) as memory:
        for start, length in parts:
            memory.seek(start)
            total.update(memory.read(length))
    return total.digest()


def run(command):
    """In a group of its own.  What it says goes to a file: a pipe would tell of an end only
    when all processes of the command have ended."""
    said = tempfile.TemporaryFile('w+')
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=said, text=True, start_new_session=True)
    process.said = said
    return process


def said_by(process):
    process.said.seek(0)
    return process.said.read().strip()


def ends_in_order(process):
    """Once it watches; before, a SIGINT kills it."""
    with open(f'/proc/{process.pid}/status') as status:
        caught = next(line for line in status if line.startswith('SigCgt:')).split()[1]
    return int(caught, 16) >> (signal.SIGINT - 1) & 1


def end(process, number):
    """Sends the signal; false if the command does not end by it.  Nothing is waited for after
    SIGKILL: the code is looked at at once."""
    os.killpg(process.pid, number)
    if number == signal.SIGKILL:
        return True
    try:
        process.wait(timeout=END_LIMIT)
        return True
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False


def until(process, is_so):
    begin = time.monotonic()
    while not is_so():
        if process.poll() is not None or time.monotonic() - begin > START_LIMIT:
            process.kill()
            sys.exit('kills: its probes did not come or go: ' + said_by(process))


def start_time(pid, parts, before, command):
    """Seconds until the code has probes in it."""
    process, begin = run(command), time.monotonic()
    until(process, lambda: sum_of(pid, parts) != before)
    taken = time.monotonic() - begin
    end(process, signal.SIGINT)
    return taken


def all_probes(pid, parts, before, command):
    """What the code is when all probes are there."""
    process = run(command)
    until(process, lambda: sum_of(pid, parts) != before)
    last, now = before, sum_of(pid, parts)
    while last != now:
        time.sleep(0.5)
        last, now = now, sum_of(pid, parts)
    end(process, signal.SIGINT)
    return now


def until_as_before(pid, parts, before, limit):
    """Seconds from now; more than the limit if it took longer, None if it never was."""
    begin = time.monotonic()
    while True:
        same = sum_of(pid, parts) == before
        taken = time.monotonic() - begin
        if same:
            return taken
        if taken > limit + LATE:
            return None
        time.sleep(0.001)


def main():
    # a shell's background jobs ignore it, and so would all that is started here
    signal.signal(signal.SIGINT, signal.default_int_handler)
    pid, times, limit = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) / 1000
    moment_name, command = sys.argv[4], sys.argv[5:]
    parts = code_of(pid)
    before = sum_of(pid, parts)
    start = start_time(pid, parts, before, command)
    if until_as_before(pid, parts, before, limit) is None:
        sys.exit('kills: the first run left probes')
    own = code_of(pid, os.readlink(f'/proc/{pid}/exe'))
    bare = sum_of(pid, own)
    full = all_probes(pid, own, bare, command) if moment_name == 'detaching' else None
    good = probed = counted = 0
    longest, wrong = 0.0, []
    for _ in range(TRIES * times):
        if counted == times:
            break
        number = (signal.SIGINT, signal.SIGKILL)[counted % 2]
        moment = random.uniform(0, 2 * start)
        said = f'{number.name} {moment * 1000:.0f} ms after its start'
        process = run(command)
        if moment_name == 'any':
            time.sleep(moment)
        else:
            number, said = signal.SIGKILL, f'killed amid {moment_name}'
            until(process, lambda: sum_of(pid, own) != bare)
        if moment_name == 'detaching':
            until(process, lambda: ends_in_order(process) and sum_of(pid, own) == full)
            os.killpg(process.pid, signal.SIGINT)
            until(process, lambda: sum_of(pid, own) != full)
        has_ended, has_probes = process.poll() is not None, sum_of(pid, parts) != before
        counts = has_probes or moment_name == 'any'
        counted += counts
        probed += has_probes
        if has_ended and counts:
            wrong.append(f'{said}: had ended: {said_by(process)}')
            continue
        if not has_ended and not end(process, number):
            wrong.append(f'{said}: did not end')
            continue
        taken = until_as_before(pid, parts, before, limit)
        process.wait()
        if taken is None:
            wrong.append(f'{said}: its probes stayed')
            break
        longest = max(longest, taken)
        if taken <= limit:
            good += counts
        else:
            wrong.append(f'{said}: its probes stayed for {taken * 1000:.0f} ms')
    print(json.dumps({'times': times, 'good': good, 'probed': probed,
                      'longest_ms': round(longest * 1000, 1),
                      'start_ms': round(start * 1000), 'wrong': wrong}))


main()
