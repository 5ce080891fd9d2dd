#!/usr/bin/env python3
"""split_bench - does the split find what the target knows?  Share and culprit."""
import json
import os
import subprocess
import time

from measure import BUILD, SONDE, median, need, scratch

SHOP = os.path.join(BUILD, "test/demo/shop-server")
ROUNDS = 3


def one(d):
    shop = subprocess.Popen([SHOP, "--seconds", "13", "--durations", f"{d}/calls"],
                            stdout=subprocess.PIPE, text=True)
    shop.stdout.readline()
    time.sleep(1)
    subprocess.run([SONDE, "record", "-q", "-p", str(shop.pid), "-s", "handle_request", "-F", "199",
                    "-d", "10", "-o", f"{d}/x.sonde"], check=True)
    truth = json.loads(shop.stdout.read().strip().splitlines()[-1])
    shop.wait()
    report = json.loads(subprocess.run(
        [SONDE, "report", f"{d}/x.sonde", "--split", "dur > p95", "--json"],
        stdout=subprocess.PIPE, check=True).stdout)
    split = report["split"]
    share = split["in"]["weight_ns"] / (split["in"]["weight_ns"] + split["rest"]["weight_ns"])
    exact = truth["above_p95"]["cpu_ns"] / truth["all"]["cpu_ns"]
    chain = [f["name"] for f in report["functions"][:3]]
    print(f"share of CPU time in calls slower than p95: target {100 * exact:.1f} %, "
          f"sonde {100 * share:.1f} %; first in the difference: {', '.join(chain)}", flush=True)
    return abs(share - exact) * 100


need(SONDE, SHOP)
with scratch() as d:
    print(f"median: off by {median([one(d) for _ in range(ROUNDS)]):.1f} points")
