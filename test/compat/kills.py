#!/usr/bin/env python3
"""kills - ends a tool at random moments and looks at its target's code afterwards.

	kills.py PID TIMES LIMIT_MSEC COMMAND...

COMMAND watches PID and would go on for long.  It is started TIMES times and ended at a
moment between its first instruction and twice the time that its start takes, by SIGINT
and by SIGKILL in turn.  Then all that PID has mapped from files as code must be as it was
before the first start, LIMIT_MSEC after the command is gone at the latest.

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
import time

# Without probes by then, the command has failed.
START_LIMIT = 20.0
# An end in order takes less.
END_LIMIT = 10.0
# After the limit: it is looked at once more so much later, to tell late from never.
LATE = 2.0


def code_of(pid):
    """(start, length) of what is mapped from files and can be executed."""
    parts = []
    with open(f'/proc/{pid}/maps') as maps:
        for line in maps:
            fields = line.split(None, 5)
            if 'x' in fields[1] and len(fields) == 6 and fields[5].startswith('/'):
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
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def end(process, number):
    """Sends the signal; false if the command does not end by it."""
    process.send_signal(number)
    try:
        process.communicate(timeout=END_LIMIT)
        return True
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return False


def start_time(pid, parts, before, command):
    """Seconds until the code has probes in it."""
    process, begin = run(command), time.monotonic()
    while sum_of(pid, parts) == before:
        if process.poll() is not None or time.monotonic() - begin > START_LIMIT:
            process.kill()
            sys.exit('kills: no probe came: ' + process.communicate()[1].strip())
    taken = time.monotonic() - begin
    end(process, signal.SIGINT)
    return taken


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
    pid, times, limit = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) / 1000
    command = sys.argv[4:]
    parts = code_of(pid)
    before = sum_of(pid, parts)
    start = start_time(pid, parts, before, command)
    if until_as_before(pid, parts, before, limit) is None:
        sys.exit('kills: the first run left probes')
    good = probed = 0
    longest, wrong = 0.0, []
    for index in range(times):
        moment = random.uniform(0, 2 * start)
        number = (signal.SIGINT, signal.SIGKILL)[index % 2]
        said = f'{number.name} {moment * 1000:.0f} ms after its start'
        process = run(command)
        time.sleep(moment)
        if process.poll() is not None:
            wrong.append(f'{said}: had ended: {process.communicate()[1].strip()}')
            continue
        probed += sum_of(pid, parts) != before
        if not end(process, number):
            wrong.append(f'{said}: did not end')
            continue
        taken = until_as_before(pid, parts, before, limit)
        if taken is None:
            wrong.append(f'{said}: its probes stayed')
            break
        longest = max(longest, taken)
        if taken <= limit:
            good += 1
        else:
            wrong.append(f'{said}: its probes stayed for {taken * 1000:.0f} ms')
    print(json.dumps({'times': times, 'good': good, 'probed': probed,
                      'longest_ms': round(longest * 1000, 1),
                      'start_ms': round(start * 1000), 'wrong': wrong}))


main()
