#!/usr/bin/env python3
"""redis_bench - what sampling costs a busy server: CPU a command, and its p95.

In every round a redis-server answers the same load without anything, under
`sonde record -F 999`, and under `perf record -p -F 999` where perf is installed.
The load is redis-benchmark; commands are counted by redis itself.
"""
import re
import socket
import subprocess
import sys
import time

from measure import SONDE, Running, cpu_nsec, median, need, scratch

PORT = 16399
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 7
SECONDS = 3


def ask(command):
    with socket.create_connection(("127.0.0.1", PORT), 5) as s:
        s.sendall(command.encode() + b"\r\n")
        time.sleep(0.02)
        return s.recv(65536).decode(errors="replace")


def commands():
    return int(re.search(r"total_commands_processed:(\d+)", ask("INFO stats")).group(1))


def one(pid, tool):
    """(ns of CPU a command, p95 in ms) while tool watches."""
    with scratch() as d:
        watch = None
        if tool == "sonde":
            watch = Running(SONDE, "record", "-p", pid, "-F", "999", "-o", f"{d}/x.sonde")
        elif tool == "perf":
            watch = Running("perf", "record", "-q", "-F", "999", "-g", "-p", pid, "-o", f"{d}/x")
        time.sleep(0.6)
        n, cpu = commands(), cpu_nsec(pid)
        out = subprocess.run(
            ["redis-benchmark", "-p", str(PORT), "-t", "get", "-c", "8", "-n", "400000",
             "-d", "64", "-r", "1000", "--csv"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120).stdout.decode()
        n, cpu = commands() - n, cpu_nsec(pid) - cpu
        if watch:
            watch.stop(2)
    fields = [f.strip('"') for f in out.strip().splitlines()[-1].split(",")]
    return cpu / n, float(fields[5])


def main():
    need("redis-server", "redis-benchmark", SONDE)
    tools = ["none", "sonde"]
    if subprocess.run(["sh", "-c", "command -v perf"], stdout=subprocess.DEVNULL).returncode == 0:
        tools.append("perf")
    ratios = {t: [] for t in tools}
    p95s = {t: [] for t in tools}
    with scratch() as d, Running("redis-server", "--port", PORT, "--bind", "127.0.0.1",
                                 "--save", "", "--dir", d) as server:
        time.sleep(0.5)
        one(server.pid, "none")
        for r in range(ROUNDS):
            order = tools if r % 2 == 0 else tools[::-1]
            got = {t: one(server.pid, t) for t in order}
            for t in tools:
                ratios[t].append(got[t][0] / got["none"][0])
                p95s[t].append(got[t][1] / got["none"][1])
            print(f"round {r + 1}: " + "  ".join(
                f"{t} {got[t][0]:.0f} ns/command p95 {got[t][1]:.3f} ms" for t in tools), flush=True)
    for t in tools[1:]:
        print(f"median: {t} / none: CPU a command {median(ratios[t]):.3f}, "
              f"p95 {median(p95s[t]):.3f}")


main()
