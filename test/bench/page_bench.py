"""How fast the live page is: test/bench/page_bench.py (BUILD in the environment).

A recording of a million nodes, and one of a million samples over 100,000, in headless Chromium;
the first one beside speedscope (npm) and, where FLAMEGRAPH names flamegraph.pl, its picture, on
the same tree in one run.  Then a target that runs: attach to the first graph, a new probe's
histogram, and what ten updates a second take.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ['BUILD'])
SONDE = BUILD / 'sonde'
BENCH = TOP / 'web/test/page_bench.mjs'


def skip(why):
    print(f'skipped: {why}')
    sys.exit(77)


def run(chromium, *words):
    done = subprocess.run(['node', str(BENCH), chromium, *map(str, words)], capture_output=True, text=True)
    if 'Target crashed' in done.stderr:
        print(f'{words[0]}: the tab died: there is not enough memory for it')
        return {}
    if done.returncode:
        print(done.stderr[-2000:])
        return {}
    return json.loads(done.stdout.splitlines()[-1])


def opened(chromium, file):
    sonde = subprocess.Popen([SONDE, 'open', '-q', file], stdout=subprocess.PIPE, text=True)
    try:
        return run(chromium, 'tree', sonde.stdout.readline().strip())
    finally:
        sonde.terminate()
        sonde.wait()


def show(what, values, keys):
    if not values:
        return
    print(f'{what:28}' + '  '.join(f'{word} {values.get(key, "?")}{unit}' for key, word, unit in keys))


def speedscope(chromium, folder, file):
    done = subprocess.run(['npm', 'install', '--silent', '--no-audit', '--no-fund', '--prefix', folder,
                           'speedscope@1'], capture_output=True, text=True)
    index = folder / 'node_modules/speedscope/dist/release/index.html'
    if done.returncode or not index.exists():
        print('speedscope: cannot be installed here')
        return
    profile = folder / 'tree.speedscope.json'
    subprocess.run([SONDE, 'report', file, '-o', profile], check=True, stderr=subprocess.DEVNULL)
    show('speedscope', run(chromium, 'speedscope', index, profile), SHOWN)


def flamegraph(chromium, folder, file):
    script = os.environ.get('FLAMEGRAPH')
    if not script:
        print('flamegraph.pl: FLAMEGRAPH does not say where it is')
        return
    folded, picture = folder / 'tree.folded', folder / 'tree.svg'
    subprocess.run([SONDE, 'report', file, '-o', folded], check=True, stderr=subprocess.DEVNULL)
    with open(picture, 'w') as to:
        subprocess.run(['perl', script, folded], check=True, stdout=to, stderr=subprocess.DEVNULL)
    show('flamegraph.pl', run(chromium, 'svg', picture), SHOWN)


SHOWN = [('first', 'first paint', ' ms'), ('zoom', 'zoom', ' ms'), ('zoom_p95', 'p95', ' ms'),
         ('search', 'search', ' ms'), ('heap', 'heap', ' MB')]


def main():
    chromium = shutil.which('chromium')
    if not chromium or not shutil.which('node') or not (TOP / 'web/node_modules/playwright-core').exists():
        skip('the page is tested with chromium, node and web/node_modules (make setup-test, make)')
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        big, brush = folder / 'big.sonde', folder / 'brush.sonde'
        write = BUILD / 'test/bench/tree_recording'
        subprocess.run([write, big, '1000000', os.environ.get("STACKS", "280000")], check=True)
        subprocess.run([write, brush, '1000000', '25000'], check=True)
        page = opened(chromium, big)
        print(f'a tree of {page.get("nodes", 0):,.0f} nodes')
        show('sonde', page, SHOWN)
        speedscope(chromium, folder, big)
        flamegraph(chromium, folder, big)
        page = opened(chromium, brush)
        print(f'a bound moved: {page.get("samples", 0):,.0f} samples over {page.get("nodes", 0):,.0f} nodes')
        show('sonde', page, [('brush', 'median', ' ms'), ('brush_p95', 'p95', ' ms')])
        if os.geteuid():
            print('a target that runs: needs root')
            return
        target = subprocess.Popen([BUILD / 'test/target/grammar', '--seconds', '120'], stdout=subprocess.DEVNULL)
        try:
            page = run(chromium, 'live', target.pid, 'g_sort', SONDE)
        finally:
            target.kill()
            target.wait()
        print(f'a target that runs, {page.get("nodes", 0):,.0f} nodes')
        show('sonde', page, [('address', 'address', ' ms'), ('graph', 'first graph', ' ms'),
                             ('histogram', "a new probe's histogram", ' ms'),
                             ('updates', 'updates', '/s'), ('sonde_percent', 'sonde', ' %'),
                             ('browser_percent', 'browser', ' % of a core')])


main()
