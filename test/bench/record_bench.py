#!/usr/bin/env python3
"""record_bench - what the recorder itself takes, and how soon it answers."""
import json
import os
import subprocess
import sys
import time

from measure import BUILD, SONDE, Running, cpu_nsec, median, need, rusage_of, scratch

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5


def first_event(pid, d):
    """Seconds from the start of the program until the target is watched."""
    t = time.monotonic()
    p = subprocess.Popen([SONDE, "record", "-v", "-p", str(pid), "-s", "handle_request", "-d", "0.3",
                          "-o", f"{d}/first.sonde"], stderr=subprocess.PIPE, text=True)
    for line in p.stderr:
        if "ready" in line:
            break
    t = time.monotonic() - t
    p.stderr.read()
    p.wait()
    return t


def steady(pid, d):
    """Share of a core between two moments of a long run; start, end and what is read once
    to name the first second's functions left out."""
    with Running(SONDE, "record", "-q", "-p", pid, "-s", "handle_request", "-d", "8",
                 "-o", f"{d}/s.sonde") as r:
        time.sleep(2.5)
        a = cpu_nsec(r.pid)
        time.sleep(5)
        return (cpu_nsec(r.pid) - a) / 5e9


def main():
    shop = os.path.join(BUILD, "test/demo/shop-server")
    need(SONDE, shop)
    with scratch() as d, Running(shop, "--seconds", "100") as target:
        time.sleep(0.5)
        first, answer, cpu, rss = [], [], [], []
        for _ in range(ROUNDS):
            first.append(first_event(target.pid, d))
            t = time.monotonic()
            rusage_of([SONDE, "record", "-q", "-p", target.pid, "-s", "handle_request",
                       "-d", "1", "-o", f"{d}/a.sonde"])
            rusage_of([SONDE, "report", f"{d}/a.sonde", "--split", "dur > p95"],
                      stdout=subprocess.DEVNULL)
            answer.append(time.monotonic() - t)
            seconds, used, most, _ = rusage_of([SONDE, "record", "-q", "-p", target.pid,
                                                "-s", "handle_request", "-d", "5",
                                                "-o", f"{d}/b.sonde"])
            cpu.append(used / seconds)
            rss.append(most / 1024)
        print(f"from the start to the first event: median {1000 * median(first):.0f} ms")
        print(f"1 s of data to a report, altogether: median {median(answer):.2f} s")
        print(f"recorder at 99 Hz: {100 * steady(target.pid, d):.2f} % of a core once it runs, "
              f"{100 * median(cpu):.2f} % of 5 s with start and end, "
              f"largest resident {max(rss):.0f} MiB")


main()
