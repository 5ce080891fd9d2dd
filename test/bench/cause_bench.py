#!/usr/bin/env python3
"""cause_bench - splits that separate nothing, and calls whose cause was planted.

Of the first kind no function may be named as a cause; of the second the planted one must
be, and no other that is not around it.  KEEP=FOLDER: recordings are kept there, and those
that are there are asked again.
"""
import json
import os
import subprocess
import sys

from measure import BUILD, SONDE, need, scratch

CALLS = os.path.join(BUILD, "test/target/calls")
KEEP = os.environ.get("KEEP")
ROUNDS = int(os.environ.get("ROUNDS", 100))  # of each of the two kinds
SECONDS = 6  # of a null; a planted tenth takes twice as long to be seen
HZ = 997  # calls last for no simple part of its period, else ticks keep step with them
# function to watch, variant, microseconds a call, split
NULLS = [
    ("serve", "same", 100, "dur > p50"),
    ("serve", "same", 100, "dur > p95"),
    ("serve", "alike", 1000, "dur > p90"),
    ("serve", "same", 4, "dur > p95"),
    ("serve", "same", 300, "thread == \"odd\""),
    ("submit", "same", 500, "dur > p50"),
]
STAGES = ["decode", "lookup", "rank", "render", "layout", "paint", "submit"]
AROUND = {"layout": ["render"], "paint": ["render"]}
PERCENTS = [10, 15, 25, 50, 100]


def output_of(argv, **more):
    return subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True, **more).stdout


def watch(file, function, variant, micros, seconds):
    """Records calls of the target, and returns the function that it says is the cause."""
    if KEEP and os.path.exists(file + ".json"):
        with open(file + ".json") as truth:
            return json.load(truth)["cause"]
    part = 0.1 if function == "submit" else 1
    target = [CALLS, "planted", "--work", str(int(micros * 1000 / part)), "--variant", variant,
              "--calls", str(int(seconds * 1e6 * part / micros)), "--seconds", "60"]
    out = output_of([SONDE, "record", "-q", "-s", function, "-F", str(HZ), "--yes",
                     "-o", file, "--", *target], stderr=subprocess.DEVNULL)
    truth = out.strip().splitlines()[-1]
    if KEEP:
        with open(file + ".json", "w") as kept:
            kept.write(truth)
    return json.loads(truth)["cause"]


def place(d, name):
    return f"{KEEP}/{name}.sonde" if KEEP else f"{d}/x.sonde"


def named(file, split):
    """The functions that are said to be the cause, and how that was said."""
    report = json.loads(output_of([SONDE, "report", file, "--json", "--split", split]))
    verdict = report["split"]["verdict"]
    return verdict["causes"], verdict["text"]


def between(file):
    """A bound between the two kinds of calls, one in eight of which takes twice as long."""
    report = json.loads(output_of([SONDE, "report", file, "--json"]))
    return f"dur > {int(report['spans'][0]['p50_ns'] * 1.5 / 1000)}us"


def nulls(d):
    false = 0
    for i in range(ROUNDS):
        function, variant, micros, split = NULLS[i % len(NULLS)]
        file = place(d, f"null-{i}")
        watch(file, function, variant, micros, SECONDS)
        causes, text = named(file, split)
        false += bool(causes)
        print(f"  {i}: {function} {variant} {micros} us, {split}: {text}", flush=True)
    return false


def planted(d):
    missed = wrong = 0
    for i in range(ROUNDS):
        stage = STAGES[i % len(STAGES)]
        percent = PERCENTS[i // len(STAGES) % len(PERCENTS)]
        file = place(d, f"planted-{i}")
        truth = watch(file, "serve", f"{STAGES.index(stage)}:{percent}", 400, 2 * SECONDS)
        causes, text = named(file, between(file))
        missed += truth not in causes
        wrong += bool(set(causes) - {truth, *AROUND.get(truth, [])})
        print(f"  {i}: {percent} % in {truth}: {text}", flush=True)
    return missed, wrong


need(SONDE, CALLS)
which = sys.argv[1:] or ["nulls", "planted"]
if set(which) - {"nulls", "planted"}:
    sys.exit(f"usage: {sys.argv[0]} [nulls] [planted]")
with scratch() as d:
    if "nulls" in which:
        print(f"false names in {ROUNDS} splits that separate nothing: {nulls(d)}", flush=True)
    if "planted" in which:
        missed, wrong = planted(d)
        print(f"of {ROUNDS} planted causes {missed} missed; {wrong} times another was named",
              flush=True)
