#!/usr/bin/env python3
"""latency_bench - percentiles against the exact ones, and what a call costs.

The target keeps every duration of its own; sonde's histogram is compared with
it.  The cost is the target's CPU time a call at about 100,000 calls a second,
watched and not, in turns.
"""
import json
import os
import subprocess
import time

from measure import BUILD, SONDE, Running, cpu_nsec, median, need, scratch

CALLS = os.path.join(BUILD, "test/target/calls")
ROUNDS = 5


def start(*more):
    p = subprocess.Popen([CALLS, "steady", "--wait", "--seconds", "60", *map(str, more)],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    p.stdout.readline()
    return p


def go(p):
    p.stdin.write("\n")
    p.stdin.close()
    return json.loads(p.stdout.read().strip().splitlines()[-1])


def exactness():
    p = start("--calls", 20000, "--threads", 1)
    with Running(SONDE, "latency", "-p", p.pid, "f_push", "--json", "-i", "30",
                 stdout=subprocess.PIPE, text=True) as s:
        time.sleep(0.6)
        truth = go(p)
        p.wait()
        got = json.loads(s.p.communicate(timeout=30)[0].strip().splitlines()[-1])
    for q in ("p50", "p90", "p95", "p99"):
        t, g = truth[f"{q}_ns"], got[f"{q}_ns"]
        print(f"{q}: exact {t} ns, sonde {g} ns, off by {100 * (g / t - 1):+.2f} %")


def cost_of(watched):
    p = start("--calls", 300000, "--threads", 1, "--work", 1000)
    s = None
    if watched:
        s = Running(SONDE, "latency", "-p", p.pid, "f_push", "-q")
        time.sleep(0.6)
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
    exactness()
    added, rates = [], []
    for _ in range(ROUNDS):
        plain, rate = cost_of(False)
        watched, watched_rate = cost_of(True)
        added.append(watched - plain)
        rates.append(watched_rate)
        print(f"CPU a call: {plain:.0f} ns, watched {watched:.0f} ns at {watched_rate:,.0f} calls/s")
    print(f"median: {median(added):.0f} ns more a call at {median(rates):,.0f} calls/s")


main()
