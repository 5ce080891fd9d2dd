/** Tests as TAP, and what several of them need. */
import { Tree } from "../src/tree.ts";

const tests: [string, () => void][] = [];

export function test(name: string, does: () => void): void {
  tests.push([name, does]);
}

export function run(): void {
  console.log(`1..${tests.length}`);
  tests.forEach(([name, does], i) => {
    try {
      does();
      console.log(`ok ${i + 1} - ${name}`);
    } catch (e) {
      for (const line of String((e as Error).stack).split("\n")) console.log(`# ${line}`);
      console.log(`not ok ${i + 1} - ${name}`);
      process.exitCode = 1;
    }
  });
}

/** Numbers from 0 to below `most`, the same in each run. */
export function random(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % most;
  };
}

/** A tree of frames named a, b, ...: each node is [parent, frame, nanoseconds of its own]. */
export function treeOf(frames: string[], nodes: [number, number, number][], side = 0): Tree {
  const tree = new Tree();
  tree.strings.push("", ...frames);
  tree.addFrames(frames.length);
  frames.forEach((_, i) => (tree.frameName[i] = i + 1));
  tree.addNodes(nodes.length);
  nodes.forEach(([parent, frame], i) => {
    tree.parent[i] = parent;
    tree.frame[i] = frame;
  });
  const to = tree.weigh(side);
  nodes.forEach(([, , nsec], i) => {
    to.nsec[i] = nsec;
    to.samples[i] = nsec ? 1 + (nsec % 7) : 0;
  });
  return tree;
}

export function randomTree(seed: number, count: number, frames: number): Tree {
  const next = random(seed), names = ["all"];
  for (let i = 1; i < frames; i++) names.push(`f${(i * 7919) % 1000}_${i}`);
  const nodes: [number, number, number][] = [[0, 0, 0]];
  for (let i = 1; i < count; i++)
    nodes.push([next(i), 1 + next(frames - 1), next(3) ? next(1000) : 0]);
  return treeOf(names, nodes);
}

/** Nodes from below the root down to this one. */
export function pathOf(tree: Tree, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at; at = tree.parent[at]) path.push(at);
  return path.reverse();
}
