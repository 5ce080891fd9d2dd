#!/usr/bin/env python3
"""latency_bench - percentiles against the exact ones, and what a call costs.

The target keeps every duration of its own; sonde's histogram is compared with
it, for calls ended by return hook and by a probe at the exit (which is single-stepped).
The cost is the target's CPU time a call, watched and not, in turns; the last line says
at how many calls a second.
"""
import json
import os
import subprocess
import time

from measure import BUILD, SONDE, Running, cpu_nsec, median, need, scratch

CALLS = os.path.join(BUILD, "test/target/calls")
ROUNDS = 5
QUANTILES = "p50", "p90", "p95", "p99"


def start(*more):
    p = subprocess.Popen([CALLS, "steady", "--wait", "--seconds", "60", *map(str, more)],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    p.stdout.readline()
    return p


def go(p):
    p.stdin.write("\n")
    p.stdin.close()
    return json.loads(p.stdout.read().strip().splitlines()[-1])


def off_by(way, *more):
    """By how much each percentile is off, in one run: (exact ns, share) by its name."""
    p = start("--calls", 20000, "--threads", 1, *more)
    with Running(SONDE, "latency", "-p", p.pid, "f_push", "--exit", way, "--yes", "--json",
                 "-i", "30", stdout=subprocess.PIPE, text=True) as s:
        time.sleep(1.5)
        truth = go(p)
        p.wait()
        got = json.loads(s.p.communicate(timeout=30)[0].strip().splitlines()[-1])
    return {q: (truth[f"{q}_ns"], got[f"{q}_ns"] / truth[f"{q}_ns"] - 1) for q in QUANTILES}


def exactness(way, *more):
    runs = [off_by(way, *more) for _ in range(ROUNDS)]
    for q in QUANTILES:
        exact = median([r[q][0] for r in runs])
        off = [100 * r[q][1] for r in runs]
        print(f"by {way}: {q} {exact / 1000:.1f} us, off by {median(off):+.2f} % "
              f"({min(off):+.2f} to {max(off):+.2f})")


def cost_of(watched):
    p = start("--calls", 300000, "--threads", 1, "--work", 1000)
    s = None
    if watched:
        s = Running(SONDE, "latency", "-p", p.pid, "f_push", "-q")
        time.sleep(1.5)
    p.stdin.write("\n")
    p.stdin.close()
    t = time.monotonic()
    truth = json.loads(p.stdout.read().strip().splitlines()[-1])
    seconds = time.monotonic() - t
    _, _, ru = os.wait4(p.pid, 0)
    if s:
        s.stop(2)
    n = truth["functions"]["f_push"]["entries"]
    return 1e9 * (ru.ru_utime + ru.ru_stime) / n, n / seconds


def main():
    need(SONDE, CALLS)
    for way in "hook", "ret":
        exactness(way)
        exactness(way, "--work", 1000)
    added, rates = [], []
    for _ in range(ROUNDS):
        plain, rate = cost_of(False)
        watched, watched_rate = cost_of(True)
        added.append(watched - plain)
        rates.append(watched_rate)
        print(f"CPU a call: {plain:.0f} ns, watched {watched:.0f} ns at {watched_rate:,.0f} calls/s")
    print(f"median: {median(added):.0f} ns more a call at {median(rates):,.0f} calls/s")


main()
