#!/usr/bin/env python3
"""attach_bench - a thousand functions of a running program, watched and let go."""
import os
import subprocess
import time

from measure import BUILD, Running, need

many = os.path.join(BUILD, "test/target/many")
bench = os.path.join(BUILD, "test/bench/attach_bench")
need(many, bench)
with Running(many, "--seconds", "60", "--wait", stdin=subprocess.PIPE) as target:
    time.sleep(0.3)
    for _ in range(5):
        subprocess.run([bench, str(target.pid), "many_0*"], check=False)
    subprocess.run([bench, str(target.pid), "many_*"], check=False)
