#!/usr/bin/env python3
"""pcln_diff - unwind rows from a Go program's own table beside its .debug_frame.

	pcln_diff.py ROWS FILE

ROWS is the program unwind_rows.  Wherever `readelf --debug-dump=frames-interp`
knows the CFA of code, ours must be the same, or a rule that .debug_frame has no
words for: end, switch, signal.  Prints a line of totals; fails on a difference,
or if more than one function in fifty has such a rule.
"""
import bisect
import sys

from unwind_diff import BASE, REGISTERS, read_entries, read_ours

SPECIAL = ('end', 'switch', 'signal')


def spans(entry):
    ends = [row[0] for row in entry.rows[1:]] + [entry.end]
    return [(row[0], end, row[1]) for row, end in zip(entry.rows, ends) if row[0] < end]


def main(program, path):
    addresses, rules, _ = read_ours(program, path)
    rows = different = special = 0
    entries = read_entries(path)
    for entry in entries:
        found = set()
        for start, end, cfa in spans(entry):
            base = BASE.match(cfa)
            want = REGISTERS[base[1]] + base[2]
            i = bisect.bisect_right(addresses, start) - 1
            while i < len(addresses) and addresses[i] < end:
                rows += 1
                found.add(rules[i])
                if rules[i] not in SPECIAL and rules[i].split()[0] != want:
                    different += 1
                    if different <= 10:
                        print(f'# {start:x}..{end:x} is {want}, we have {rules[i]}')
                i += 1
        special += not found.isdisjoint(SPECIAL)
    print(f'{different} of {rows} rows in {len(entries)} functions differ, '
          f'{special} are ends and switches')
    return different > 0 or special < 5 or special * 50 > len(entries)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
