#!/usr/bin/env python3
"""short_bench - splits of calls that are shorter than a sampling tick.

One call in twenty is longer than the others, by a function of its own.  The target says
how long its calls are when nobody watches; the split is put between the two kinds.
"""
import json
import os
import subprocess

from measure import BUILD, SONDE, median, need, scratch

CALLS = os.path.join(BUILD, "test/target/calls")
ROUNDS = int(os.environ.get("ROUNDS", 5))
SECONDS = 6
CASES = [(4.2, 12), (12, 36), (30, 90), (50, 150)]  # microseconds: quick, slow
QUANTILES = ["p50", "p90", "p99"]  # one call in twenty is slow: p95 is between the kinds


def target(rounds, times, calls):
    return [CALLS, "mixed", "--work", str(int(rounds)), "--variant", f"{times:.3f}",
            "--calls", str(int(calls)), "--seconds", "60"]


def output_of(argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True).stdout


def truth_of(output):
    return json.loads(output.strip().splitlines()[-1])


def nsec_a_round():
    return truth_of(output_of(target(4000, 2, 4000)))["quick"]["nsec"] / 4000


def alone(d, command):
    """What its calls are when nobody watches: the machine's own interrupts are in them."""
    kinds = truth_of(output_of(command + ["--durations", f"{d}/durations"]))
    bound = (kinds["quick"]["nsec"] * kinds["slow"]["nsec"]) ** 0.5
    with open(f"{d}/durations", encoding="ascii") as f:
        lasted = sorted(int(line) for line in f)
    over = [nsec for nsec in lasted if nsec > bound]
    return {
        "bound": bound,
        "share": 100 * sum(over) / sum(lasted),
        "calls": 100 * len(over) / len(lasted),
        **{q: lasted[len(lasted) * int(q[1:]) // 100] for q in QUANTILES},
    }


def watched(d, command, hz, bound):
    output_of([SONDE, "record", "-q", "-s", "mix", "-F", str(hz), "--yes",
               "-o", f"{d}/x.sonde", "--", *command])
    report = json.loads(output_of([SONDE, "report", f"{d}/x.sonde", "--json",
                                   "--split", f"dur > {bound:.0f}ns"]))
    inside, rest = report["split"]["in"], report["split"]["rest"]
    return {
        "share": 100 * inside["weight_ns"] / (inside["weight_ns"] + rest["weight_ns"]),
        "calls": 100 * inside["calls"] / (inside["calls"] + rest["calls"]),
        **{q: report["spans"][0][f"{q}_ns"] for q in QUANTILES},
        "samples": inside["samples"] + rest["samples"],
    }


def one(d, quick, slow, hz):
    calls = SECONDS * 1e6 / (quick * 1.2 + 2)
    command = target(quick * 1000 / nsec_a_round(), slow / quick, calls)
    truth = alone(d, command)
    return truth, watched(d, command, hz, truth["bound"])


def percent_off(found, truth, key):
    return 100 * (found[key] - truth[key]) / truth[key]


need(SONDE, CALLS)
with scratch() as d:
    for quick, slow in CASES:
        shares, off = [], {q: [] for q in QUANTILES}
        for _ in range(ROUNDS):
            t, f = one(d, quick, slow, 997)
            print(f"{quick} and {slow} us: share {f['share']:.1f} % (true {t['share']:.1f}), "
                  f"calls {f['calls']:.2f} % ({t['calls']:.2f}), "
                  + "".join(f"{q} {f[q]} ({t[q]}), " for q in QUANTILES)
                  + f"{f['samples']} samples", flush=True)
            shares.append(abs(f["share"] - t["share"]))
            for q in QUANTILES:
                off[q].append(percent_off(f, t, q))
        print(f"  median: share off by {median(shares):.1f} points"
              + "".join(f", {q} by {median(off[q]):+.1f} %" for q in QUANTILES), flush=True)
