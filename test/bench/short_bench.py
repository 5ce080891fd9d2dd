#!/usr/bin/env python3
"""short_bench - splits of calls that are shorter than a sampling tick.

One call in twenty is longer than the others, by a function of its own.  The target says
how long both kinds are when nobody watches; the split is put between them.
"""
import json
import os
import subprocess

from measure import BUILD, SONDE, median, need, scratch

CALLS = os.path.join(BUILD, "test/target/calls")
ROUNDS = int(os.environ.get("ROUNDS", 5))
SECONDS = 6
CASES = [(4.2, 12), (12, 36), (50, 150)]  # microseconds: quick, slow


def target(rounds, times, calls):
    return [CALLS, "mixed", "--work", str(int(rounds)), "--variant", f"{times:.3f}",
            "--calls", str(int(calls)), "--seconds", "60"]


def output_of(argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True).stdout


def truth_of(output):
    return json.loads(output.strip().splitlines()[-1])


def nsec_a_round():
    return truth_of(output_of(target(4000, 2, 4000)))["quick"]["nsec"] / 4000


def one(d, quick, slow, hz):
    calls = SECONDS * 1e6 / (quick * 1.2 + 2)
    command = target(quick * 1000 / nsec_a_round(), slow / quick, calls)
    truth = truth_of(output_of([SONDE, "record", "-q", "-s", "mix", "-F", str(hz), "--yes",
                                "-o", f"{d}/x.sonde", "--", *command]))
    bound = (truth["quick"]["nsec"] * truth["slow"]["nsec"]) ** 0.5
    report = json.loads(output_of([SONDE, "report", f"{d}/x.sonde", "--json",
                                   "--split", f"dur > {bound:.0f}ns"]))
    return truth, report


def figures(truth, report):
    quick, slow = (truth[k]["nsec"] * truth[k]["calls"] for k in ("quick", "slow"))
    inside, rest = report["split"]["in"], report["split"]["rest"]
    whole = inside["weight_ns"] + rest["weight_ns"]
    return {
        "share": 100 * inside["weight_ns"] / whole,
        "true share": 100 * slow / (slow + quick),
        "calls in": 100 * inside["calls"] / (inside["calls"] + rest["calls"]),
        "p50": report["spans"][0]["p50_ns"],
        "true p50": truth["quick"]["nsec"],
        "p99": report["spans"][0]["p99_ns"],
        "true p99": truth["slow"]["nsec"],
        "samples": inside["samples"] + rest["samples"],
    }


def off(found, key):
    return found[key] - found["true " + key]


need(SONDE, CALLS)
with scratch() as d:
    for quick, slow in CASES:
        shares, p50s, p99s = [], [], []
        for _ in range(ROUNDS):
            f = figures(*one(d, quick, slow, 997))
            print(f"{quick} and {slow} us: share {f['share']:.1f} % (true {f['true share']:.1f}), "
                  f"calls {f['calls in']:.2f} %, p50 {f['p50']:.0f} (true {f['true p50']}), "
                  f"p99 {f['p99']:.0f} (true {f['true p99']}), {f['samples']} samples",
                  flush=True)
            shares.append(abs(off(f, "share")))
            p50s.append(100 * off(f, "p50") / f["true p50"])
            p99s.append(100 * off(f, "p99") / f["true p99"])
        print(f"  median: share off by {median(shares):.1f} points, p50 by {median(p50s):+.1f} %, "
              f"p99 by {median(p99s):+.1f} %", flush=True)
