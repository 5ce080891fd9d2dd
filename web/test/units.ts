/** Unit tests of what needs no browser. */
import assert from "node:assert/strict";
import { bin, callsBetween } from "../src/bins.ts";
import { Comparison, secondsMore } from "../src/contrast.ts";
import { Drawing } from "../src/drawing.ts";
import { Flame } from "../src/flame.ts";
import { Focus } from "../src/focus.ts";
import { brief, difference, duration, exact, nanoseconds, percent, rounded } from "../src/format.ts";
import { countWords, howWords, mayMeasure, mostOf, nearNames, NOTHING, priceWords, programFirst, shares, type FoundRow } from "../src/found.ts";
import { functionTimes, nested } from "../src/functions.ts";
import { shorten, withoutArguments, withoutTemplates } from "../src/names.ts";
import { quotePlace, type FunctionRow, type Picture, type SideSums } from "../src/scene.ts";
import { matchFrames, pattern, patternError, weighMatches } from "../src/search.ts";
import { boundOf, expressionOf } from "../src/state.ts";
import { ALL_SIDES, SIDE_IN, SIDE_REST, Tree } from "../src/tree.ts";
import { pathOf, random, randomTree, run, test, treeOf } from "./tap.ts";

const near = (a: number, b: number, what = "") =>
  assert.ok(Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b)), `${a} is not ${b} ${what}`);

// ---- the tree ----

test("a node weighs what it and all below it weigh", () => {
  const tree = randomTree(1, 500, 40), total = tree.totals(ALL_SIDES, "nsec");
  const sums = new Array(tree.count).fill(0);
  for (let i = 0; i < tree.count; i++)
    for (const at of [0, ...pathOf(tree, i)]) sums[at] += tree.self(i, ALL_SIDES, "nsec");
  for (let i = 0; i < tree.count; i++) near(total[i], sums[i]);
});

test("only the sides that are asked for are counted", () => {
  const tree = treeOf(["all", "a"], [[0, 0, 0], [0, 1, 5]], SIDE_IN);
  tree.weigh(SIDE_REST).nsec[1] = 7;
  assert.deepEqual([1 << SIDE_IN, 1 << SIDE_REST, ALL_SIDES, 8].map((m) => tree.totals(m, "nsec")[1]),
                   [5, 7, 12, 0]);
});

test("children are in order of name, and stay there when weights change", () => {
  const tree = randomTree(2, 400, 60);
  tree.orderChildren();
  for (let n = 0; n < tree.count; n++) {
    const kids = Array.from(tree.order.subarray(tree.childStart[n], tree.childStart[n + 1]));
    assert.ok(kids.every((k) => tree.parent[k] === n));
    const names = kids.map((k) => tree.nodeName(k));
    assert.deepEqual(names, [...names].sort());
  }
  const before = Array.from(tree.order);
  tree.weigh(SIDE_IN).nsec.fill(3);
  tree.orderChildren();
  assert.deepEqual(Array.from(tree.order), before);
});

test("a path is found again, or the part of it that is there", () => {
  const tree = treeOf(["all", "a", "b", "c"], [[0, 0, 0], [0, 1, 1], [1, 2, 1], [2, 3, 1]]);
  assert.deepEqual(tree.path(3), ["a", "b", "c"]);
  assert.equal(tree.findPath(["a", "b", "c"]), 3);
  assert.equal(tree.findPath(["a", "b", "x"]), 2);
  assert.equal(tree.findPath(["x"]), 0);
});

// ---- the finder ----

const row: FoundRow = {
  place: "f", name: "libz:f", function: "f", image: "/lib/libz.so.1", main: false, file: "", line: 0,
  price: "cheap", price_ns: 723, exit: "return hook", reason: "",
};

test("what was sampled most goes first, if all words are in its name", () => {
  const names = new Map([["parse_row", 0.2], ["Row::parse", 0.5], ["write_row", 0.9]]);
  assert.deepEqual(mostOf(names, "row PARSE", 9), ["Row::parse", "parse_row"]);
  assert.deepEqual(mostOf(names, " ", 2), ["write_row", "Row::parse"]);
});

test("a function's share is of all that is looked at, recursion counted once", () => {
  const tree = treeOf(["all", "a"], [[0, 0, 10], [0, 1, 20], [1, 1, 70]]);
  assert.equal(shares(tree, ALL_SIDES).get("a"), 0.9);
});

test("what measuring takes is said before, or why it cannot be", () => {
  assert.equal(priceWords(row), "723 ns a call");
  assert.equal(howWords(row), "The end of its calls is seen by return hook.");
  assert.equal(priceWords({ ...row, price_ns: 0 }), "cheap");
  assert.match(howWords({ ...row, price: "stepped" }), /dear/);
  for (const no of [{ ...row, price: "refused", reason: "why" }, { ...row, exit: "none", reason: "why" }]) {
    assert.ok(!mayMeasure(no));
    assert.equal(priceWords(no), "cannot");
    assert.match(howWords(no), /: why\.$/);
  }
});

test("how many were found is said, and what was not looked at", () => {
  assert.equal(countWords(NOTHING), "0 functions.");
  assert.equal(countWords({ ...NOTHING, fit: 1, rows: [row] }), "1 function.");
  assert.equal(countWords({ ...NOTHING, fit: 3120, rows: [row] }), "The first 1 of 3,120 functions.");
  assert.match(countWords({ ...NOTHING, fit: 1, rows: [row], cut: true, looked: 5000 }), /of the 5,000 that .*\.$/);
});

test("what a sentence says is near can be chosen", () => {
  assert.deepEqual(nearNames("no function 'render_rowz' in shop-server\n       (near: render_rows, render_row; sonde list -p 1 'r*')"),
                   ["render_rows", "render_row"]);
  assert.deepEqual(nearNames("no function 'x' in 'libc'\n       (what there is: sonde list -p 2 '*')"), []);
});

test("without a text the program's functions go before its libraries'", () => {
  const rows = [{ ...row, main: false, place: "clone" }, { ...row, main: true, place: "run" }, row];
  assert.deepEqual(programFirst(rows).map((r) => r.place), ["run", "clone", row.place]);
});

// ---- messages ----

interface Part { kind: number; count: number; base: number; bytes: Uint8Array }

function message(seq: number, epoch: number, parts: Part[]): ArrayBuffer {
  const size = parts.reduce((sum, p) => sum + 16 + p.bytes.length, 16);
  const buffer = new ArrayBuffer(size), bytes = new Uint8Array(buffer);
  const words = new DataView(buffer);
  [0x31646e73, seq, epoch, parts.length].forEach((w, i) => words.setUint32(4 * i, w, true));
  let at = 16;
  for (const p of parts) {
    [p.kind, p.count, p.base, p.bytes.length].forEach((w, i) => words.setUint32(at + 4 * i, w, true));
    bytes.set(p.bytes, at + 16);
    at += 16 + p.bytes.length;
  }
  return buffer;
}

const words = (...n: number[]) => new Uint8Array(Uint32Array.from(n).buffer);
const floats = (...n: number[]) => new Uint8Array(Float32Array.from(n).buffer);

function padded(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text), made = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  made.set(bytes);
  return made;
}

function join(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((p) => Array.from(p)));
}

const FIRST = message(1, 7, [
  { kind: 2, count: 3, base: 0, bytes: join(words(3, 7, 2), padded("allgrößeab")) },
  { kind: 3, count: 2, base: 0, bytes: words(0, 2, 0, 0, 0, 0, 0, 9, 6, 1) },
  { kind: 4, count: 2, base: 0, bytes: words(0, 0, 0, 1, 0, 44) },
  { kind: 5, count: 1, base: 0, bytes: join(words(1), floats(20), floats(2)) },
]);

test("a message becomes a tree, and the next one changes it", () => {
  const d = new Drawing();
  d.take(FIRST);
  assert.deepEqual([d.seq, d.epoch, d.tree.count, d.tree.frameCount], [1, 7, 2, 2]);
  assert.deepEqual(d.tree.strings, ["all", "größe", "ab"]);
  assert.deepEqual([d.tree.nodeName(1), d.tree.line[1], d.tree.frameLine[1], d.tree.frameKind[1]],
                   ["ab", 44, 9, 1]);
  const tree = d.tree;
  d.take(message(2, 7, [{ kind: 5, count: 1, base: 0, bytes: join(words(1), floats(35), floats(3)) }]));
  assert.equal(d.tree, tree);
  assert.equal(tree.totals(ALL_SIDES, "nsec")[0], 35);
});

test("another epoch begins anew", () => {
  const d = new Drawing();
  d.take(FIRST);
  d.take(message(2, 8, [{ kind: 2, count: 1, base: 0, bytes: join(words(1), padded("x")) }]));
  assert.deepEqual([d.tree.count, d.tree.strings], [0, ["x"]]);
});

test("what is no message is said to be none", () => {
  assert.throws(() => new Drawing().take(new ArrayBuffer(16)), /another kind of sonde/);
  for (let size = 0; size < FIRST.byteLength; size += 4)
    if (size !== 16) assert.throws(() => new Drawing().take(FIRST.slice(0, size)));
});

// ---- the flame graph ----

function drawn(tree: Tree, width: number): Flame {
  const flame = new Flame();
  flame.tree = tree;
  flame.width = width;
  flame.height = 400;
  flame.layout();
  return flame;
}

test("what is drawn is as wide as what it weighs", () => {
  const tree = randomTree(3, 3000, 80), flame = drawn(tree, 1500), r = flame.rects;
  const total = tree.totals(ALL_SIDES, "nsec"), scale = 1500 / total[0];
  const at = new Map<number, number>();
  for (let i = 0; i < r.count; i++) {
    if (r.node[i] < 0) continue;
    near(r.width[i], total[r.node[i]] * scale);
    assert.ok(r.width[i] >= 0.5);
    at.set(r.node[i], i);
  }
  for (const [node, i] of at) {
    if (!node) continue;
    const above = at.get(tree.parent[node])!;
    assert.equal(r.row[i], r.row[above] + 1);
    assert.ok(r.x[i] >= r.x[above] - 1e-6 && r.x[i] + r.width[i] <= r.x[above] + r.width[above] + 1e-6);
  }
  // nothing that is wide enough is left out
  for (let n = 0; n < tree.count; n++)
    if (total[n] * scale >= 0.5) assert.ok(at.has(n), `node ${n}`);
});

test("rows do not overlap, and what is too narrow is drawn as one", () => {
  const tree = treeOf(["all", "a", ...Array.from({ length: 3000 }, (_, i) => `f${10000 + i}`)],
    [[0, 0, 0], ...Array.from({ length: 3000 }, (_, i) => [0, i + 2, 1] as [number, number, number])]);
  const flame = drawn(tree, 300), r = flame.rects;
  assert.deepEqual([r.count, r.node[1]], [2, -1]);
  near(r.width[1], 300);
  const big = drawn(randomTree(4, 5000, 50), 700).rects;
  for (let i = 1; i < big.count; i++)
    if (big.row[i] === big.row[i - 1]) assert.ok(big.x[i] >= big.x[i - 1] + big.width[i - 1] - 1e-6);
});

test("the node at a point is the one that is drawn there", () => {
  const flame = drawn(randomTree(5, 2000, 50), 900), r = flame.rects;
  for (let i = 0; i < r.count; i++)
    assert.equal(flame.at(r.x[i] + r.width[i] / 2, r.row[i] * 18 + 5), r.node[i]);
  assert.equal(flame.at(10, 18 * r.rows + 5), -1);
});

test("a zoomed node has all of the width, its callers too", () => {
  const tree = randomTree(6, 800, 40), total = tree.totals(ALL_SIDES, "nsec");
  for (let node = 1; node < tree.count; node += 37) {
    if (!total[node]) continue;
    const flame = drawn(tree, 1000);
    flame.go({ node, from: 0, to: 1 }, 0, 0);
    flame.layout();
    for (const at of [0, ...pathOf(tree, node)]) {
      const i = flame.find(at);
      assert.ok(i >= 0, `${at}`);
      near(flame.rects.x[i], 0);
      assert.ok(Math.abs(flame.rects.width[i] - 1000) < 1e-3);
    }
  }
});

test("zooming keeps what is under the pointer there, and back is where it was", () => {
  const flame = drawn(randomTree(7, 2000, 50), 1000), r = flame.rects;
  let i = 0;
  while (r.row[i] < 2 || r.node[i] < 0 || r.width[i] < 5 || r.width[i] > 100 || r.x[i] < 300 || r.x[i] > 600) i++;
  const node = r.node[i], x = r.x[i] + r.width[i] / 2;
  flame.go(flame.zoomed(x, 4), 0, 0);
  flame.layout();
  const at = flame.find(node);
  assert.ok(Math.abs(flame.rects.x[at] + flame.rects.width[at] / 2 - x) < 0.01);
  flame.go(flame.zoomed(x, 1 / 4), 0, 0);
  flame.layout();
  assert.ok(Math.abs(flame.rects.width[0] - 1000) < 1e-3);
});

test("a view of what weighs nothing any more shows what does", () => {
  const tree = treeOf(["all", "a", "b"], [[0, 0, 0], [0, 1, 5], [1, 2, 0]]), flame = drawn(tree, 100);
  flame.go({ node: 2, from: 0, to: 1 }, 0, 0);
  flame.layout();
  near(flame.rects.width[flame.find(1)], 100);
});

test("a tree that weighs nothing is a root", () => {
  const flame = drawn(treeOf(["all", "a"], [[0, 0, 0], [0, 1, 0]]), 100);
  assert.deepEqual([flame.rects.count, flame.rects.width[0]], [1, 100]);
});

// ---- search, focus, functions ----

test("matches count each stack once, as by hand", () => {
  for (let seed = 10; seed < 20; seed++) {
    const tree = randomTree(seed, 700, 30), total = tree.totals(ALL_SIDES, "nsec");
    const matched = matchFrames(tree, pattern(`f.*${seed % 10}$`)!);
    for (const below of [0, 1, 5]) {
      let sum = 0;
      for (let i = 0; i < tree.count; i++) {
        const path = [0, ...pathOf(tree, i)], from = path.indexOf(below);
        if (from >= 0 && path.slice(from).some((n) => matched[tree.frame[n]]))
          sum += tree.self(i, ALL_SIDES, "nsec");
      }
      near(weighMatches(tree, matched, below, total), sum, `seed ${seed}`);
    }
  }
});

test("an expression that is none is meant as it stands; capitals count when used", () => {
  assert.ok(pattern("operator(")!.test("x::operator()"));
  assert.ok(pattern("foo")!.test("Foo") && !pattern("Foo")!.test("foo"));
  assert.equal(pattern(""), null);
  assert.match(patternError("operator("), /searched as it stands/);
  assert.equal(patternError("operator\\("), "");
});

test("focus is all calls of a function as one, as by hand", () => {
  for (let seed = 30; seed < 36; seed++) {
    const tree = randomTree(seed, 600, 12), frame = 1 + (seed % 11);
    const focused = new Focus(tree, frame).update();
    const sums = new Map<string, number>();
    for (let i = 0; i < tree.count; i++) {
      const path = pathOf(tree, i), from = path.findIndex((n) => tree.frame[n] === frame);
      if (from < 0) continue;
      for (let to = from; to < path.length; to++) {
        const key = path.slice(from, to + 1).map((n) => tree.frame[n]).join(" ");
        sums.set(key, (sums.get(key) ?? 0) + tree.self(i, ALL_SIDES, "nsec"));
      }
    }
    const total = focused.totals(ALL_SIDES, "nsec");
    assert.equal(focused.count, sums.size + 1);
    for (let n = 1; n < focused.count; n++)
      near(total[n], sums.get(pathOf(focused, n).map((p) => focused.frame[p]).join(" "))!);
  }
});

test("focus follows the tree that it is made of", () => {
  const tree = treeOf(["all", "a", "b"], [[0, 0, 0], [0, 1, 5], [1, 2, 2]]);
  const focus = new Focus(tree, 2);
  assert.equal(focus.update().totals(ALL_SIDES, "nsec")[0], 2);
  tree.addNodes(1);
  tree.parent[3] = 0;
  tree.frame[3] = 2;
  tree.weigh(SIDE_IN).nsec[3] = 40;
  assert.equal(focus.update().totals(ALL_SIDES, "nsec")[0], 42);
});

test("a function's time counts recursion once", () => {
  for (let seed = 40; seed < 46; seed++) {
    const tree = randomTree(seed, 600, 12), self = new Map<number, number>(), all = new Map<number, number>();
    for (let i = 0; i < tree.count; i++) {
      const nsec = tree.self(i, ALL_SIDES, "nsec"), frames = [0, ...pathOf(tree, i)].map((n) => tree.frame[n]);
      self.set(tree.frame[i], (self.get(tree.frame[i]) ?? 0) + nsec);
      for (const f of new Set(frames)) all.set(f, (all.get(f) ?? 0) + nsec);
    }
    const rows = functionTimes(tree, ALL_SIDES);
    assert.equal(rows.length, [...all.values()].filter((v) => v > 0).length);
    for (const r of rows) {
      near(r.self, self.get(r.frame) ?? 0);
      near(r.total, all.get(r.frame)!);
    }
  }
});

test("rows stand below what calls them, in their order", () => {
  const rows = [
    { name: "c", depth: 2, caller: "b" }, { name: "x", depth: 0 }, { name: "b", depth: 1, caller: "a" },
    { name: "a", depth: 0, caller: "span" }, { name: "d", depth: 1, caller: "a" },
    { name: "loop", depth: 3, caller: "loop" },
  ];
  assert.deepEqual(nested(rows).map(({ row, level }) => `${row.name}${level}`),
                   ["x0", "a0", "b1", "c2", "d1", "loop0"]);
});

// ---- histograms ----

test("binned calls are all calls, where they were", () => {
  const next = random(50), histogram: [number, number, number][] = [];
  for (let from = 1000; from < 1e9; from = Math.ceil(from * 1.06))
    if (next(3)) histogram.push([from, Math.ceil(from * 1.06), 20 + next(100)]);
  const calls = histogram.reduce((sum, h) => sum + h[2], 0);
  for (const most of [8, 60, 240]) {
    const made = bin(histogram, most)!;
    assert.ok(made.calls.length <= most);
    near(made.calls.reduce((a, b) => a + b), calls);
    const middle = Math.floor(made.calls.length / 2), edge = made.edges[middle];
    near(made.calls.subarray(0, middle).reduce((a, b) => a + b), callsBetween(histogram, 0, edge));
  }
  assert.equal(bin([], 10), null);
});

test("no bin has a part of a single call", () => {
  const made = bin([[1000, 1060, 1], [2000, 2120, 2], [900e3, 950e3, 1]], 1000)!;
  assert.ok(made.calls.every((n) => Number.isInteger(n)));
  assert.equal(made.calls.reduce((a, b) => a + b), 4);
});

test("calls that all last as long are one bin", () => {
  const made = bin([[5000, 5000, 12]], 100)!;
  assert.deepEqual([made.calls[0], made.calls.reduce((a, b) => a + b)], [12, 12]);
  assert.deepEqual([callsBetween([[5000, 5000, 12]], 5000, 6000), callsBetween([[5000, 5000, 12]], 1, 4000)],
                   [12, 0]);
});

// ---- words and numbers ----

test("durations have three digits and their unit", () => {
  const said: [number, string][] = [
    [0, "0"], [7, "7 ns"], [999, "999 ns"], [999.6, "1.00 µs"], [12345, "12.3 µs"], [999499, "999 µs"],
    [999600, "1.00 ms"], [2.5e9, "2.50 s"], [119e9, "119 s"], [120e9, "2.00 min"], [7200e9, "2.00 h"],
    [-1500, "-1.50 µs"],
  ];
  for (const [ns, text] of said) assert.equal(duration(ns), text);
  assert.deepEqual([difference(1500), difference(-1500)], ["+1.50 µs", "−1.50 µs"]);
  assert.deepEqual([brief(7), brief(999), brief(12345), brief(3.2e6)], ["7", "999", "12.3 k", "3.20 M"]);
  assert.deepEqual([percent(0, 5), percent(1, 0), percent(1, 3000), percent(1, 20), percent(1, 3)],
                   ["0 %", "–", "0.03 %", "5.0 %", "33 %"]);
  assert.deepEqual([percent(-1, 3), percent(-0.006), percent(1e-6)], ["−33 %", "−0.6 %", "<0.01 %"]);
});

test("a duration in an expression is read as itself", () => {
  const next = random(60);
  for (let i = 0; i < 500; i++) {
    const ns = rounded(next(4e9) + 1);
    assert.equal(nanoseconds(exact(ns)), ns);
  }
  assert.ok(Number.isNaN(nanoseconds("p95")) && Number.isNaN(nanoseconds("4 parsecs")));
});

test("a bound is the expression that means it, and back", () => {
  for (const b of [{ kind: "percentile", name: "p99" }, { kind: "above", low: 4e6 },
                   { kind: "between", low: 1500, high: 2e9 }] as const)
    for (const subject of ["dur", "ns::f.dur", '"odd \\"name\\"".dur'])
      assert.deepEqual(boundOf(expressionOf(b, subject)), b);
  assert.equal(boundOf("exited(throw)"), null);
});

test("places that are no words are quoted", () => {
  assert.equal(quotePlace("libc.so.6:malloc"), "libc.so.6:malloc");
  assert.equal(quotePlace('operator"" _x'), '"operator\\"\\" _x"');
});

test("names lose arguments first, then templates, then scopes, and their own end last", () => {
  const said: [string, string][] = [
    ["f(int, char)", "f"], ["f(void (*)(int)) const", "f"], ["ns::(anonymous namespace)::g(int)",
     "ns::(anonymous namespace)::g"], ["a::operator()(int) const", "a::operator()"],
    ["void g<int>(std::vector<int>)", "void g<int>"], ["main", "main"],
    ["{lambda(int)#1}::operator()(int)", "{lambda#1}::operator()"],
  ];
  for (const [name, short] of said) assert.equal(withoutArguments(name), short);
  assert.equal(withoutTemplates("std::vector<int, std::allocator<int>>::push_back"), "std::vector<…>::push_back");
  assert.equal(withoutTemplates("a::operator<"), "a::operator<");
  assert.equal(withoutTemplates("f<(a->b)>"), "f<…>");
  for (const name of ["f", "std::vector<int, std::allocator<int>>::push_back(int const&)", "x".repeat(300)])
    for (let room = 0; room < 80; room++) assert.ok(shorten(name, room).length <= Math.max(room, 0));
  assert.equal(shorten("std::vector<int>::push_back(int)", 12), "…::push_back");
});

// ---- comparing ----

function picture(rows: Partial<FunctionRow>[]): Picture {
  const side = (calls: number): SideSums => ({ calls, calls_exact: true, samples: 0, weight_ns: 0, mean_ns: 0 });
  return {
    functions: rows as FunctionRow[], split: {
      expr: "f.dur > p95", z_least: 3, in: side(10), rest: side(100),
    },
  } as unknown as Picture;
}

test("extra time a call is one side's over its calls less the other's", () => {
  const tree = treeOf(["all", "a", "b"], [[0, 0, 0], [0, 1, 1000], [0, 2, 5]], SIDE_IN);
  const rest = tree.weigh(SIDE_REST);
  rest.nsec[1] = 500;
  rest.samples[1] = 50;
  tree.weigh(SIDE_IN).samples.set([0, 100, 1]);
  const c = Comparison.of(picture([]))!.node(tree, 1);
  near(c.in, 100);
  near(c.rest, 5);
  near(c.extra, 95);
  near(c.error, 1.96 * Math.hypot(Math.sqrt(100) * 1, Math.sqrt(50) * 0.1));
  assert.equal(c.noise, false);
  assert.equal(Comparison.of(picture([]))!.node(tree, 2).noise, true);
});

test("where samples' calls are not known nothing is told apart", () => {
  const tree = treeOf(["all", "a"], [[0, 0, 0], [0, 1, 1000]], SIDE_IN), p = picture([]);
  tree.weigh(SIDE_IN).samples.set([0, 1000]);
  assert.deepEqual([Comparison.of(p)!.blurred, Comparison.of(p)!.node(tree, 1).noise], [false, false]);
  p.split!.verdict = { kind: "blurred", causes: [], text: "" };
  assert.deepEqual([Comparison.of(p)!.blurred, Comparison.of(p)!.node(tree, 1).noise], [true, true]);
});

test("an error is as wide as its function's is", () => {
  const tree = treeOf(["all", "a"], [[0, 0, 0], [0, 1, 1000]], SIDE_IN);
  tree.weigh(SIDE_IN).samples[1] = 100;
  const plain = 1.96 * Math.sqrt(100);
  const row = { name: "a", file: "", line: 0, total_in_ns: 1000, total_rest_ns: 0, samples_in: 100,
                samples_rest: 0, extra_error_ns: 3 * plain, z: 9, extra_ns: 100 };
  near(Comparison.of(picture([row]))!.node(tree, 1).error, 3 * plain);
});

test("without two sides there is nothing to compare", () => {
  const p = picture([]);
  p.split!.rest.calls = 0;
  assert.equal(Comparison.of(p), null);
});

test("how much longer grows with the square of what is missing", () => {
  assert.equal(secondsMore(1.5, 3, 10), 30);
  assert.equal(secondsMore(3.1, 3, 10), 0);
  assert.equal(secondsMore(0.1, 3, 10), 0);
});

run();
