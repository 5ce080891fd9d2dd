#!/usr/bin/env python3
"""grammar - judges folded user stacks of test/target/grammar.c.

	sonde report x.sonde -o - --format folded | grammar.py

Prints one JSON object: all stacks by weight, those that begin where threads do
("rooted"), those that the program can really have ("legal"), and the heaviest of
the others.  Every frame becomes a letter, x for one of the libraries; a stack is
legal if the letters match, since every prefix of a run of calls is a stack.
"""
import json
import re
import sys

LETTERS = {
    "main": "M", "g_thread": "T", "g_round": "R", "g_bottom": "B", "g_signal": "s",
    "g_down_a": "a", "g_down_b": "b", "g_down_c": "c",
    "g_deep_a": "k", "g_deep_b": "l", "g_deep_c": "m", "g_deep_d": "n",
    "g_alloca": "A", "g_aligned": "G", "g_drap": "D", "g_wide": "W", "g_sort": "S",
    "g_order": "O", "g_lazy": "Z", "g_clock": "C", "g_syscall": "Y", "g_copy": "P",
    "g_catch": "H", "g_jump": "J", "g_fatal": "F", "g_leaf": "L",
}
ACTS = "|".join([
    "[AD][xL]?",               # memset, or the leaf
    "[GW]L?",
    "S(?:x{1,12}(?:OL?)?)?",   # qsort, and it calls back
    "Zx{0,6}",                 # stub, function; the first time the binding too
    "Cx{0,3}",                 # the library, the vdso
    "[YP]x{0,2}",
    "H(?:x{0,2}|J(?:L|F(?:L|x{0,3})?)?)",
])
SHAPE = re.compile(
    "(?:(?P<start>x{2,4}M)(?P<setup>x{0,4})|x{1,2}T)"
    f"(?:R(?:(?P<down>[abc]+)(?:(?P<bottom>B)(?:{ACTS})?)?|(?P<deep>[klmn]+)(?P<leaf>L)?)?)?"
    "(?:x(?:sL?)?)?"  # the frame that the kernel makes, then the function
)
# where threads begin; without debug symbols the library's part has no such names
ROOTS = re.compile(r"_start|(__)?clone3?|fn_[0-9a-f]+.*")
DEEP = 1000


def letters(frames):
    return "".join(LETTERS.get(f, "?" if f.startswith("g_") else "x") for f in frames)


def legal(frames):
    m = SHAPE.fullmatch(letters(frames))
    if not m:
        return False
    if m["start"] and frames[0] != "_start":
        return False
    down, deep = m["down"] or "", m["deep"] or ""
    if down != ("abc" * 11)[:len(down)] or deep != ("klmn" * 250)[:len(deep)]:
        return False
    if m["bottom"] and not 5 <= len(down) <= 31:
        return False
    return not m["leaf"] or len(deep) == DEEP


def read(lines):
    for line in lines:
        stack, _, weight = line.rstrip("\n").rpartition(" ")
        yield stack.split(";"), int(weight)


def shown(frames):
    """Runs of the recursion as their number."""
    text = ";".join(frames)
    return re.sub(r"(?:g_(down|deep)_[a-d];?){3,}",
                  lambda m: f"{m[0].count('g_')} x g_{m[1]};", text)


def judge(lines):
    total = rooted = right = 0
    wrong = {}
    for frames, weight in read(lines):
        total += weight
        rooted += weight * bool(ROOTS.fullmatch(frames[0]))
        if legal(frames):
            right += weight
        else:
            key = shown(frames)
            wrong[key] = wrong.get(key, 0) + weight
    worst = sorted(wrong.items(), key=lambda i: -i[1])[:12]
    return {"stacks": total, "rooted": rooted, "legal": right, "wrong": worst}


if __name__ == "__main__":
    print(json.dumps(judge(sys.stdin)))
