/** Functions: their time, from a tree, and their order in a table. */
import type { Tree } from "./tree.ts";

export interface FunctionTime {
  frame: number;
  self: number;
  total: number; /** recursion counted once */
}

/** Of the sides of the mask, in nanoseconds; those that have none are left out. */
export function functionTimes(tree: Tree, mask: number): FunctionTime[] {
  tree.orderChildren();
  const total = tree.totals(mask, "nsec");
  const self = new Float64Array(tree.frameCount), all = new Float64Array(tree.frameCount);
  const inside = new Uint32Array(tree.frameCount); // how often it is on the way down
  const { childStart, order, frame } = tree;
  const next = new Uint32Array(tree.count);
  for (let at = tree.count ? 0 : -1; at >= 0; ) {
    if (next[at] === 0) {
      next[at] = childStart[at];
      if (!inside[frame[at]]++) all[frame[at]] += total[at];
      self[frame[at]] += tree.self(at, mask, "nsec");
    }
    let child = 0;
    while (next[at] < childStart[at + 1] && !child) {
      const candidate = order[next[at]++];
      if (total[candidate] > 0) child = candidate;
    }
    if (child) {
      at = child;
    } else {
      inside[frame[at]]--;
      next[at] = 0xffffffff; // never again
      at = at ? tree.parent[at] : -1;
    }
  }
  const rows: FunctionTime[] = [];
  for (let i = 0; i < tree.frameCount; i++)
    if (all[i] > 0) rows.push({ frame: i, self: self[i], total: all[i] });
  return rows;
}

/** Rows with each function after the one that mostly calls it, and how deep it is below; what
 * is called stays in the order that it came in. */
export function nested<Row extends { name: string; depth: number; caller?: string }>(
  rows: Row[]): { row: Row; level: number }[] {
  const byName = new Map<string, Row>(), below = new Map<Row | null, Row[]>();
  for (const row of rows) if (!byName.has(row.name)) byName.set(row.name, row);
  for (const row of rows) {
    const caller = row.caller === undefined ? undefined : byName.get(row.caller);
    const under = caller && caller.depth < row.depth ? caller : null; // so it is never a ring
    below.set(under, [...(below.get(under) ?? []), row]);
  }
  const made: { row: Row; level: number }[] = [], open: { row: Row; level: number }[] = [];
  const push = (under: Row | null, level: number) => {
    for (const row of (below.get(under) ?? []).reverse()) open.push({ row, level });
  };
  push(null, 0);
  for (let one = open.pop(); one; one = open.pop()) {
    made.push(one);
    push(one.row, one.level + 1);
  }
  return made;
}
