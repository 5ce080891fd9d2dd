#!/usr/bin/env python3
"""stacks_bench - how many stacks reach the root: sonde beside perf, in turns.

For each target in turn: sonde, perf by frame pointers, perf by DWARF (8 KiB of
stack a sample), each at 999 Hz for 3 s.  A stack is whole for sonde when its walk
came to the outermost frame; for perf when its outermost frame is one where
threads begin.  Samples without a user half (kernel threads, a process being
made) count for nobody.

BPF time a sample is run_time_ns of sonde's clock_tick (kernel.bpf_stats_enabled),
less what it takes for ticks that are not the target's, over sonde's samples.
The price of those is measured first, on a target that sleeps.

	stacks_bench.py [NAME...]
"""
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

from measure import BUILD, SONDE, Running, need, scratch

HZ, SECONDS = 999, 3
LIMIT = 10  # seconds a tool may take to read what it recorded
BPFTOOL = shutil.which("bpftool", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
STATS = "/proc/sys/kernel/bpf_stats_enabled"
ROOT = re.compile(r"_start|(__)?clone3?|ret_from_fork.*")
RECURSE = """
import sys
sys.setrecursionlimit(10000)
def key(n):
    return sum(i * i for i in range(60)) if n == 0 else sorted([n], key=lambda m: key(m - 1))[0]
while True:
    key(12)
"""
JITTED = """
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function words(n) { return Array.from({length: n}, (_, i) => 'w' + fib(i % 18)).sort().join(); }
const end = Date.now() + 100000;
while (Date.now() < end) words(300);
"""
QUERY = """WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<100000000)
SELECT count(*), sum(x % 7), max(printf('%d', x)) FROM c GROUP BY x % 11 ORDER BY 2;"""
CXX = """#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <regex>
#include <string>
#include <tuple>
#include <vector>
template <int N> struct tower { using type = std::tuple<typename tower<N - 1>::type, std::map<
  std::string, std::vector<std::function<int(std::integral_constant<int, N>)>>>>;
  static int rise(std::vector<int> v) { std::sort(v.begin(), v.end(), [](int a, int b) {
    return a % (N + 2) < b % (N + 2); }); return std::accumulate(v.begin(), v.end(), N) +
    int(std::regex_match(std::to_string(v.size()), std::regex("a" + std::to_string(N)))) +
    tower<N - 1>::rise(v); } };
template <> struct tower<0> { using type = std::tuple<>;
  static int rise(std::vector<int>) { return 0; } };
int main(int n, char **) { tower<LEVELS>::type *t = nullptr; (void)t;
  return tower<LEVELS>::rise(std::vector<int>(n)); }
"""


class Missing(Exception):
    """What a target needs is not here."""


def program(name):
    path = shutil.which(name)
    if not path:
        raise Missing(f"{name} is not installed")
    return path


def settle(running, seconds=0.6):
    time.sleep(seconds)
    if running.p.poll() is not None:
        raise Missing(f"{running.p.args[0]} ended with status {running.p.returncode}")


# Each target: a context that gives the arguments that name it, for sonde and perf alike.

@contextlib.contextmanager
def grammar(d):
    with Running(os.path.join(BUILD, "test/target/grammar"), "--seconds", "60") as p:
        settle(p)
        yield p.pid


@contextlib.contextmanager
def redis(d):
    server, load = program("redis-server"), program("redis-benchmark")
    sock = f"{d}/redis.sock"
    with Running(server, "--port", "0", "--unixsocket", sock, "--save", "", "--dir", d) as p:
        settle(p)
        with Running(load, "-s", sock, "-q", "-l", "-c", "8", "-t", "set,get,lrange_600") as b:
            settle(b)
            yield p.pid


@contextlib.contextmanager
def nginx(d):
    if not NGINX:
        raise Missing("nginx is not installed")
    wrk, port = program("wrk"), 17998
    with open(f"{d}/nginx.conf", "w") as f:
        f.write(f"""daemon off; master_process off; pid {d}/nginx.pid; error_log {d}/error.log;
events {{ }}
http {{ access_log off; gzip on; gzip_types *; client_body_temp_path {d}; proxy_temp_path {d};
  fastcgi_temp_path {d}; uwsgi_temp_path {d}; scgi_temp_path {d};
  server {{ listen 127.0.0.1:{port}; root {d}; }} }}\n""")
    with open(f"{d}/index.html", "w") as f:
        f.write("<p>text of some length</p>\n" * 400)
    with Running(NGINX, "-c", f"{d}/nginx.conf") as p:
        settle(p)
        with Running(wrk, "-t1", "-c8", "-d100s", "-H", "Accept-Encoding: gzip",
                     f"http://127.0.0.1:{port}/index.html") as w:
            settle(w)
            yield p.pid


@contextlib.contextmanager
def alone(*argv, **kw):
    with Running(*argv, **kw) as p:
        settle(p)
        yield p.pid


def sqlite(d):
    return alone(program("sqlite3"), ":memory:", QUERY)


def python(d):
    for path in ("/usr/bin/python3.11", "/usr/bin/python3"):
        if os.access(path, os.X_OK):
            return alone(path, "-c", RECURSE)
    raise Missing("no python3 of the system's")


@contextlib.contextmanager
def clang(d):
    """Compiles a file of many templates, in the driver's own process."""
    path = os.path.realpath(program("clang++"))
    with open(f"{d}/tower.cc", "w") as f:
        f.write(CXX.replace("LEVELS", "200"))
    with Running(path, "-std=c++17", "-O2", "-fintegrated-cc1", "-ftemplate-depth=2000", "-c",
                 f"{d}/tower.cc", "-o", f"{d}/tower.o", cwd=d) as p:
        settle(p)
        yield p.pid


def node(d):
    return alone(program("node"), "--perf-basic-prof", "-e", JITTED, cwd=d)


@contextlib.contextmanager
def postgres(d):
    """A server of our own in a scratch directory, run by an ordinary user."""
    home = next((p for v in range(20, 9, -1) for p in (f"/usr/lib/postgresql/{v}/bin",)
                 if os.access(f"{p}/initdb", os.X_OK)), None)
    if not home:
        raise Missing("postgres is not installed")
    user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
    place = f"{d}/pg"
    os.mkdir(place)
    shutil.chown(place, "postgres", "postgres")
    os.chmod(d, 0o755)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([*user, f"{home}/initdb", "-D", f"{place}/data", "-N"], check=True, **quiet)
    with Running(*user, f"{home}/postgres", "-D", f"{place}/data", "-k", place,
                 "-c", "listen_addresses=") as server:
        settle(server, 1)
        bench = [*user, f"{home}/pgbench", "-h", place, "postgres"]
        subprocess.run([*bench, "-i", "-s", "2", "-q"], check=True, **quiet)
        with Running(*bench, "-S", "-c", "2", "-T", "100") as load:
            settle(load)
            yield backends(server.pid)


def backends(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        children = f.read().split()
    busy = []
    for c in children:
        with open(f"/proc/{c}/cmdline") as f:
            if "[local]" in f.read():
                busy.append(c)
    if not busy:
        raise Missing("no postgres backend is running")
    return ",".join(busy)


TARGETS = {"grammar": grammar, "redis-server": redis, "nginx": nginx, "sqlite3": sqlite,
           "python3": python, "clang++": clang, "node": node, "postgres": postgres}


def tick_stats():
    """run_time_ns and run_cnt of every clock_tick that is loaded, by id."""
    if not BPFTOOL:
        return {}
    text = subprocess.run([BPFTOOL, "prog", "show", "--json"], capture_output=True,
                          text=True, check=False).stdout
    return {p["id"]: (p.get("run_time_ns", 0), p.get("run_cnt", 0))
            for p in json.loads(text or "[]") if p.get("name") == "clock_tick"}


def sonde(pid, d):
    """Records: (JSON report, run_time_ns, run_cnt) of its clock_tick."""
    path, before, last = f"{d}/x.sonde", set(tick_stats()), (0, 0)
    p = subprocess.Popen([SONDE, "record", "-q", "-p", str(pid), "-F", str(HZ), "-d",
                          str(SECONDS), "-o", path], stderr=subprocess.PIPE, text=True)
    # the programs are gone once it has ended: read while it runs
    while p.poll() is None:
        mine = [v for i, v in tick_stats().items() if i not in before]
        last = max(mine, default=last, key=lambda v: v[1])
        time.sleep(0.05)
    said = p.stderr.read()
    if p.returncode:
        raise Missing(f"sonde: {said.strip()}")
    text = subprocess.run([SONDE, "report", path, "--json"], capture_output=True, text=True,
                          check=True).stdout
    return json.loads(text), *last


def foreign_tick():
    """Nanoseconds of a tick that is not the target's: one that sleeps."""
    with scratch() as d, Running("sleep", "60") as p:
        time.sleep(0.2)
        report, spent, runs = sonde(p.pid, d)
    return spent / runs if runs > 100 and not report["samples"] else None


def perf(pid, how, d):
    """Share of user stacks that reach the root, and their number."""
    if not shutil.which("perf"):
        return None
    path = f"{d}/perf.data"
    tool = ["perf", "record", "-q", "-F", str(HZ), "-e", "cpu-clock", "--call-graph", how]
    subprocess.run([*tool, "-p", str(pid), "-o", path, "--", "sleep", str(SECONDS)],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    p = subprocess.Popen(["perf", "script", "-i", path, "--no-inline", "-F", "comm,ip,sym"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    until = time.monotonic() + LIMIT
    whole = total = 0
    symbol, user = None, False
    for line in p.stdout:
        frame = re.match(r"\s+([0-9a-f]+) (.*)", line)
        if frame:
            symbol = frame[2].split("+")[0].strip()
            user |= int(frame[1], 16) >> 63 == 0
        elif not line.strip() and symbol is not None:
            total += user
            whole += user and bool(ROOT.fullmatch(symbol))
            symbol, user = None, False
            if time.monotonic() > until:
                break  # what was read so far is a fair sample
    p.kill()
    p.wait()
    os.unlink(path)
    return (100 * whole / total, total) if total else None


def percent(value):
    return "-" if value is None else f"{value[0]:.2f} ({value[1]})"


def row(name, d, idle):
    with TARGETS[name](d) as pid:
        report, spent, runs = sonde(pid, d)
        fp = perf(pid, "fp", d)
        dwarf = perf(pid, "dwarf", d)
    loss = report["losses"]
    stacks = loss["stacks"]
    if not stacks:
        raise Missing("no stacks were taken")
    cut = loss["stacks_truncated"] + loss["stacks_unreadable"]
    others = max(0, runs - report["samples"]) * (idle or 0)
    # read while sonde ran: too early, when the machine had no time for us
    late = runs > .9 * HZ * SECONDS * os.cpu_count()
    bpf = (spent - others) / report["samples"] if late else None
    print(f"{name:13} {100 * (1 - cut / stacks):7.2f} ({stacks})"
          f" {loss['frames'] / stacks:8.1f} {percent(fp):>16} {percent(dwarf):>16}"
          f" {'-' if bpf is None else format(bpf / 1000, '.2f'):>8}", flush=True)
    if cut * 1000 > stacks:
        text = subprocess.run([SONDE, "report", f"{d}/x.sonde"], capture_output=True, text=True,
                              check=False).stdout
        print("".join(f"    {l}\n" for l in text.splitlines() if l.startswith("Stacks:")), end="")


@contextlib.contextmanager
def bpf_stats():
    """Switched on, and back to what it was."""
    with open(STATS) as f:
        was = f.read()
    try:
        with open(STATS, "w") as f:
            f.write("1")
        yield
    finally:
        with open(STATS, "w") as f:
            f.write(was)


def main():
    need(SONDE)
    if os.geteuid():
        print("skipped: not root")
        sys.exit(77)
    names = sys.argv[1:] or list(TARGETS)
    with bpf_stats():
        idle = foreign_tick()
        print(f"a tick that is not the target's: "
              f"{'not measured' if idle is None else f'{idle:.0f} ns'}")
        print("stacks that reach the root, % (of so many); frames a sample; BPF time a sample")
        print(f"{'target':13} {'sonde':>14} {'frames':>8} {'perf fp':>16}"
              f" {'perf dwarf':>16} {'µs':>8}")
        for name in names:
            with scratch() as d:
                try:
                    row(name, d, idle)
                except (Missing, subprocess.CalledProcessError) as why:
                    print(f"{name:13} skipped: {why}", flush=True)


main()
