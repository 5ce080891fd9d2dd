"""What the bench scripts share: processes, CPU time, medians, pairs.

Every script prints its figures and never fails because of one: figures of a busy
machine are for reading.  Ratios are taken inside one round; their median counts.
"""
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
SONDE = os.path.join(BUILD, "sonde")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def need(*programs):
    for p in programs:
        if not (shutil.which(p) or os.access(p, os.X_OK)):
            skip(f"{p} is not here")


def cpu_nsec(pid):
    """CPU time of a process, all threads, in nanoseconds (schedstat)."""
    total = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/schedstat") as f:
            total += int(f.read().split()[0])
    return total


class Running:
    """A process of ours, ended by pid when the block is left."""

    def __init__(self, *argv, **kw):
        kw.setdefault("stdout", subprocess.DEVNULL)
        kw.setdefault("stderr", subprocess.DEVNULL)
        self.p = subprocess.Popen([str(a) for a in argv], **kw)
        self.pid = self.p.pid

    def __enter__(self):
        return self

    def stop(self, sig=signal.SIGTERM, timeout=20):
        if self.p.poll() is None:
            self.p.send_signal(sig)
            try:
                self.p.wait(timeout)
            except subprocess.TimeoutExpired:
                self.p.kill()
                self.p.wait()
        return self.p.returncode

    def __exit__(self, *_):
        self.stop()


def rusage_of(argv, **kw):
    """Runs argv: (seconds, cpu seconds, largest resident KiB, status)."""
    t = time.monotonic()
    p = subprocess.Popen([str(a) for a in argv], **kw)
    _, status, ru = os.wait4(p.pid, 0)
    p.returncode = status
    return time.monotonic() - t, ru.ru_utime + ru.ru_stime, ru.ru_maxrss, status


def median(values):
    return statistics.median(values) if values else float("nan")


def scratch():
    return tempfile.TemporaryDirectory(prefix="sonde-bench-")
