"""anywhere SONDE TARGET FOLDER TIMES SEED - ends sonde or its target at random moments.

Each time one of them gets a signal somewhere between sonde's start and its end.  Prints what
became of it: how often sonde had to be waited for too long ("hangs"), a command it had
started was left or stood still ("left"), the file at its output was neither what had been
there nor a recording that can be read ("harmed"), or another file lay beside it ("strays");
and in which phase the signals came.
"""
import json
import os
import random
import signal
import subprocess
import sys
import time

sonde, program, folder, times, seed = sys.argv[1:6]
chance = random.Random(int(seed))
path = os.path.join(folder, 'x.sonde')
LIMIT = 30  # seconds until it counts as a hang
STEADY = [program, 'steady', '--rate', '200', '--calls', '100000', '--seconds', '60']
# a shell's background jobs ignore it, and so would all that is started here
signal.signal(signal.SIGINT, signal.default_int_handler)
tally = dict(times=0, hangs=0, left=0, harmed=0, strays=0, attaching=0, watching=0, ended=0)


def say(text):
    print(text, file=sys.stderr, flush=True)


def children_of(pid):
    try:
        with open(f'/proc/{pid}/task/{pid}/children') as f:
            return [int(word) for word in f.read().split()]
    except OSError:
        return []


def state_of(pid):
    try:
        with open(f'/proc/{pid}/stat') as f:
            return f.read().rsplit(')', 1)[1].split()[0]
    except OSError:
        return None


def ends(pid, seconds):
    until = time.monotonic() + seconds
    while state_of(pid) not in (None, 'Z'):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def is_whole(old):
    """The file is what it was, or a recording."""
    if not os.path.exists(path):
        return old is None
    with open(path, 'rb') as f:
        if f.read() == old:
            return True
    return subprocess.run([sonde, 'report', path], stdin=subprocess.DEVNULL,
                          capture_output=True).returncode == 0


def phase_of(said):
    with open(said, errors='replace') as f:
        text = f.read()
    return 'ended' if ' wrote ' in text or 'accounted' in text else \
        'watching' if ' Hz, ' in text or 's a call' in text else 'attaching'


def one(old):
    way = chance.choice(['record', 'command', 'latency'])
    victim = chance.choice(['sonde', 'sonde', 'target'])
    number = chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
    moment = chance.uniform(0, 1.6)
    said = os.path.join(folder, '..', 'said')
    target = None
    what = f'{way}, {victim}, {number.name} after {moment:.3f} s'
    if os.path.exists(path):
        os.unlink(path)
    if old is not None:
        with open(path, 'wb') as f:
            f.write(old)
    if way != 'command':
        target = subprocess.Popen(STEADY, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        target.stdout.readline()
    to = ['-p', str(target.pid)] if target else ['--', *STEADY]
    command = [sonde, 'latency', 'f_push', '--yes', '-d', '0.5', '--json', *to] if way == 'latency' else \
        [sonde, 'record', '-s', 'f_push', '--yes', '-F', '499', '-d', '0.5', '-o', path, *to]
    with open(said, 'wb') as err:
        tracer = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=err, start_new_session=True)
    time.sleep(moment)
    started = children_of(tracer.pid)
    tally[phase_of(said)] += 1
    for pid in [tracer.pid] if victim == 'sonde' else [target.pid] if target else started:
        send(pid, number)
    try:
        tracer.wait(LIMIT if target else 5)
    except subprocess.TimeoutExpired:
        # it waits for a command that nobody has ended
        waits = not target and 'waited for' in open(said).read()
        send(tracer.pid, signal.SIGTERM)
        try:
            tracer.wait(LIMIT)
        except subprocess.TimeoutExpired:
            waits = False
            tracer.kill()
            tracer.wait()
        if not waits:
            tally['hangs'] += 1
            say(f'{what}: hangs')
    for pid in started:
        let_go = victim == 'sonde' and number == signal.SIGKILL
        stands = state_of(pid) in ('t', 'T')
        if stands or not (let_go or ends(pid, 5)):
            tally['left'] += 1
            say(f'{what}: the command is left ({state_of(pid)})')
        send(pid, signal.SIGKILL)
    if target:
        if victim == 'sonde' and state_of(target.pid) not in ('R', 'S', 'D'):
            tally['left'] += 1
            say(f'{what}: the target is {state_of(target.pid)}')
        target.kill()
        target.wait()
        target.stdout.close()
    if way != 'latency' and not is_whole(old):
        tally['harmed'] += 1
        say(f'{what}: the file is harmed')
    strays = [name for name in os.listdir(folder) if name != 'x.sonde']
    for name in strays:
        tally['strays'] += 1
        say(f'{what}: {name} is left')
        os.unlink(os.path.join(folder, name))
    tally['times'] += 1


with open(path, 'rb') as f:
    GOOD = f.read()
for _ in range(int(times)):
    one(GOOD if chance.random() < 0.5 else None)
print(json.dumps(tally))
