#!/usr/bin/env python3
"""unwind_diff - our unwind tables beside what readelf makes of the same files.

	unwind_diff.py ROWS FILE|FOLDER ...

ROWS is the program unwind_rows.  Every address of every entry that
`readelf --debug-dump=frames-interp` prints must have the same CFA, RBP and
return address in our table; where it prints no entry, we must have none.
Expressions, which that view only calls `exp`, are taken from
`--debug-dump=frames`.  What we say we cannot use must be none in our table.

Prints each difference (ten a file) and a line of totals, which fails the run
if there was one.
"""
import bisect
import os
import re
import subprocess
import sys

REGISTERS = {name: str(i) for i, name in enumerate(
    'rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15'.split())}
ENTRY = re.compile(r'^([0-9a-f]{8,16}) [0-9a-f]+ [0-9a-f]+ (CIE|FDE)'
                   r'(?: cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+))?')
BASE = re.compile(r'^(\w+?)([+-]\d+)$')
BREG = re.compile(r'^DW_OP_breg(\d+) \(\w+\): (-?\d+)(; DW_OP_deref(?:; DW_OP_plus_uconst: (\d+))?)?$')
PLT = re.compile(r'^DW_OP_breg7 \(rsp\): 8; DW_OP_breg16 \(rip\): 0; DW_OP_lit15; DW_OP_and; '
                 r'DW_OP_lit(1[01]); DW_OP_ge; DW_OP_lit3; DW_OP_shl; DW_OP_plus$')
NAME = re.compile(r' \(\w+\)')  # "r9 (r9)"
PADDING = 16
SHOWN = 10


def readelf(view, path):
    with subprocess.Popen(['readelf', '--debug-dump=no-follow-links', f'--debug-dump={view}', path],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, errors='replace') as process:
        yield from process.stdout


class Entry:
    """One FDE: where it is in the file, its range, and rows (address, cfa, rbp, ra)."""

    def __init__(self, key, start, end, initial):
        self.key, self.start, self.end, self.initial = key, start, end, initial
        self.rows = []


def read_entries(path):
    """The FDEs of .eh_frame and .debug_frame, as readelf interprets them."""
    entries, cies, section, entry, columns, cie = [], {}, '', None, None, None
    for line in readelf('frames-interp', path):
        if line.startswith('Contents of the '):
            section = line.split()[3]
            continue
        found = ENTRY.match(line)
        if found:
            offset, kind, of, start, end = found.groups()
            entry, cie, columns = None, None, None
            if kind == 'CIE':
                cie = (section, int(offset, 16))
            else:
                entry = Entry((section, int(offset, 16)), int(start, 16), int(end, 16),
                              (section, int(of, 16)))
                entries.append(entry)
            continue
        words = NAME.sub('', line).split()
        if not words or words[-1] == 'terminator':
            entry, columns = None, None
            continue
        if words[0] == 'LOC':
            columns = {name: i for i, name in enumerate(words)}
            places = (columns.get('rbp'), columns.get('ra'))
        elif columns and len(words) == len(columns):
            row = (int(words[0], 16), words[1],
                   words[places[0]] if places[0] else 'u', words[places[1]] if places[1] else 'u')
            if entry:
                entry.rows.append(row)
            elif cie:
                cies[cie] = row
    for entry in entries:
        if not entry.rows and entry.initial in cies:
            entry.rows = [(entry.start, *cies[entry.initial][1:])]
    return entries


def read_expressions(path):
    """Of each FDE: {'cfa': [text, ...], '6': [...], '16': [...]}"""
    found, section, entry = {}, '', {}
    for line in readelf('frames', path):
        if line.startswith('Contents of the '):
            section = line.split()[3]
        elif 'expression' in line:
            what, text = line.strip().split(' ', 1)
            if what == 'DW_CFA_def_cfa_expression':
                entry.setdefault('cfa', []).append(text[1:-1])
            elif what == 'DW_CFA_expression:':
                register, _, text = text.split(' ', 2)
                entry.setdefault(register[1:], []).append(text[1:-1])
        else:
            head = ENTRY.match(line)
            if head:
                entry = found[section, int(head[1], 16)] = {}
    return found


def cfa_of(expression):
    plt = PLT.match(expression)
    if plt:
        return 'plt' + plt[1]
    breg = BREG.match(expression)
    if not breg or int(breg[1]) > 15:
        return 'none'
    if breg[3]:
        return f'*{breg[1]}{int(breg[2]):+d}{int(breg[4] or 0):+d}'
    return f'{breg[1]}{int(breg[2]):+d}'


def rbp_of(cfa, rbp):
    """A saved RBP below SP was popped."""
    base, saved = BASE.match(cfa), BASE.match(rbp)
    if rbp in 'us' or (base and base[1] == 'rsp' and saved and saved[1] == 'c'
                       and int(saved[2]) < -int(base[2])):
        return 's'
    return rbp if saved and saved[1] == 'c' else 'u'


def expected_by_expression(row, texts):
    """The rules that a row with `exp` may have."""
    _, cfa, rbp, ra = row
    if (cfa, rbp, ra) == ('exp', 'exp', 'exp'):
        return ['signal'] if ('DW_OP_breg7 (rsp): 160; DW_OP_deref' in texts.get('cfa', []) and
                              'DW_OP_breg7 (rsp): 120' in texts.get('6', []) and
                              'DW_OP_breg7 (rsp): 168' in texts.get('16', [])) else ['none']
    base = BASE.match(cfa)
    cfas = [cfa_of(t) for t in texts.get('cfa', [])] if cfa == 'exp' else \
        [REGISTERS[base[1]] + base[2]]
    rbps = [rbp_of(cfa, rbp)]
    if rbp == 'exp':
        saved = [BREG.match(t) for t in texts.get('6', [])]
        rbps = [f'*6{int(b[2]):+d}' if b and b[1] == '6' and not b[3] else 'u' for b in saved]
    return [c if c[0] in 'pn' else f'{c} {r} {ra}' for c in cfas for r in rbps]


def expected(row, cache):
    """The rule of a row without expressions."""
    key = row[1:]
    rule = cache.get(key)
    if rule is None:
        cfa, rbp, ra = key
        base = BASE.match(cfa)
        if ra == 'u':
            rule = 'end'
        elif not ra.startswith('c') or not base or base[1] not in REGISTERS:
            rule = 'none'
        else:
            rule = f'{REGISTERS[base[1]]}{base[2]} {rbp_of(cfa, rbp)} {ra}'
        cache[key] = rule
    return rule


def read_ours(program, path):
    done = subprocess.run([program, path], capture_output=True, text=True)
    if done.returncode:
        return None, None, done.stderr.strip()
    addresses, rules = [], []
    lines = done.stdout.splitlines()
    for line in lines[:-1]:
        address, rule = line.split(' ', 1)
        addresses.append(int(address, 16))
        rules.append(rule)
    return addresses, rules, lines[-1][2:]


class Totals:
    def __init__(self):
        self.files = self.rows = self.expressions = self.different = 0
        self.unused = {}


class Comparison:
    """One file."""

    def __init__(self, path, addresses, rules, totals):
        self.path, self.addresses, self.rules, self.totals = path, addresses, rules, totals
        self.shown = 0

    def check(self, start, end, allowed):
        i = bisect.bisect_right(self.addresses, start) - 1
        while i < len(self.addresses) and (i < 0 or self.addresses[i] < end):
            rule = self.rules[i] if i >= 0 else 'none'
            if rule not in allowed and not (' u c' in rule and rule.replace(' u c', ' s c') in allowed):
                self.totals.different += 1
                self.shown += 1
                if self.shown <= SHOWN:
                    print(f'# {self.path}: {start:x}..{end:x} is {" or ".join(allowed)}, '
                          f'we have {rule}')
            i += 1


def owners(entries):
    """Entries by address, each with the end of what it decides on."""
    entries.sort(key=lambda e: (e.start, e.key[0] != '.eh_frame', e.key[1]))
    kept, covered = [], 0
    for e in entries:
        eh = e.key[0] == '.eh_frame'
        if e.start == e.end or (kept and kept[-1].start == e.start) or (not eh and e.start < covered):
            continue
        covered = max(covered, e.end) if eh else covered
        kept.append(e)
    for e, following in zip(kept, kept[1:] + [None]):
        e.limit = min(e.end, following.start) if following else e.end
        e.gap = following.start - e.limit if following else 0
    return kept


def compare(program, path, totals):
    addresses, rules, unused = read_ours(program, path)
    if addresses is None:
        return
    entries = owners([e for e in read_entries(path)])
    if not entries:
        return
    totals.files += 1
    for word in re.findall(r'([a-z ]+)=(\d+)', unused):
        totals.unused[word[0].strip()] = totals.unused.get(word[0].strip(), 0) + int(word[1])
    expressions, cache = None, {}
    c = Comparison(path, addresses, rules, totals)
    for e in entries:
        # two rows for one address: the later one counts
        rows = [r for r, n in zip(e.rows, e.rows[1:] + [(None,)]) if r[0] != n[0]]
        for row, following in zip(rows, rows[1:] + [(e.limit,)]):
            if row[0] >= e.limit:
                break
            totals.rows += 1
            if 'exp' in row:
                expressions = expressions or read_expressions(path)
                totals.expressions += 1
                allowed = expected_by_expression(row, expressions[e.key])
            else:
                allowed = (expected(row, cache),)
            c.check(row[0], min(following[0], e.limit), allowed)
        if e.gap >= PADDING:
            c.check(e.limit, e.limit + e.gap, ('none',))


def main():
    program, totals = sys.argv[1], Totals()
    for argument in sys.argv[2:]:
        paths = [argument]
        if os.path.isdir(argument):
            paths = sorted(p.path for p in os.scandir(argument)
                           if p.is_file(follow_symlinks=False))
        for path in paths:
            with open(path, 'rb') as f:
                content = f.read()
            # programs in Go have rows of their own: see pcln_diff.py
            if content.startswith(b'\x7fELF') and b'.gopclntab\0' not in content:
                compare(program, path, totals)
    unused = ', '.join(f'{n} {kind}' for kind, n in sorted(totals.unused.items())) or 'nothing'
    print(f'{totals.files} files, {totals.rows} rows ({totals.expressions} with expressions): '
          f'{totals.different} different; not used: {unused}')
    sys.exit(totals.different > 0 or not totals.rows)


if __name__ == '__main__':
    main()
