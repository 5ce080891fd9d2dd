/**
 * A tree of frames with weights by side, in columns.
 *
 * Node 0 is the root; a parent's number is less than its children's.  Numbers of nodes and
 * frames stay what they are while the tree grows, so whoever keeps one keeps what it means.
 */
import { withRoom } from "./columns.ts";

export const SIDE_IN = 0;
export const SIDE_REST = 1;
export const SIDE_OPEN = 2;
export const SIDE_OUT = 3;
export const SIDE_BEFORE = 4;
export const SIDES = 5;
export const ALL_SIDES = (1 << SIDES) - 1;

/** As in the messages (enum frame_kind). */
export enum FrameKind {
  User,
  Kernel,
  Jit,
  Inlined,
  Probe,
  Unknown,
  Other,
  Wait,
  Holder,
}

export type Unit = "nsec" | "samples";

export class Tree {
  strings: string[] = [];

  frameCount = 0;
  frameName = new Uint32Array(0);
  frameFile = new Uint32Array(0);
  frameImage = new Uint32Array(0);
  frameLine = new Uint32Array(0);
  frameKind = new Uint32Array(0);

  count = 0;
  parent = new Uint32Array(0);
  frame = new Uint32Array(0);
  line = new Uint32Array(0);

  /** By side; a side that weighs nothing may be null. */
  readonly nsec: (Float32Array | null)[] = new Array(SIDES).fill(null);
  readonly samples: (Float32Array | null)[] = new Array(SIDES).fill(null);

  /** Raised when nodes were added, and when weights changed. */
  shape = 0;
  weight = 0;

  /** Children of a node: order[childStart[n] .. childStart[n + 1]], by name. */
  childStart = new Uint32Array(1);
  order = new Uint32Array(0);
  private ordered = -1;
  private ranked = 0;
  private rank = new Uint32Array(0);
  private readonly sums = new Map<string, { weight: number; total: Float64Array }>();

  addFrames(count: number): void {
    this.frameCount += count;
    this.frameName = withRoom(this.frameName, this.frameCount);
    this.frameFile = withRoom(this.frameFile, this.frameCount);
    this.frameImage = withRoom(this.frameImage, this.frameCount);
    this.frameLine = withRoom(this.frameLine, this.frameCount);
    this.frameKind = withRoom(this.frameKind, this.frameCount);
  }

  addNodes(count: number): void {
    this.count += count;
    this.parent = withRoom(this.parent, this.count);
    this.frame = withRoom(this.frame, this.count);
    this.line = withRoom(this.line, this.count);
    for (let side = 0; side < SIDES; side++) {
      const nsec = this.nsec[side], samples = this.samples[side];
      if (nsec) this.nsec[side] = withRoom(nsec, this.count);
      if (samples) this.samples[side] = withRoom(samples, this.count);
    }
    this.shape++;
  }

  /** The columns of a side, to be written to. */
  weigh(side: number): { nsec: Float32Array; samples: Float32Array } {
    const nsec = withRoom(this.nsec[side] ?? new Float32Array(0), this.count);
    const samples = withRoom(this.samples[side] ?? new Float32Array(0), this.count);
    this.nsec[side] = nsec;
    this.samples[side] = samples;
    this.weight++;
    return { nsec, samples };
  }

  name(frame: number): string {
    return this.strings[this.frameName[frame]] ?? "";
  }

  nodeName(node: number): string {
    return this.name(this.frame[node]);
  }

  /** Where frames stand when they are ordered by name. */
  private rankFrames(): void {
    if (this.ranked === this.frameCount) return;
    const names = Array.from({ length: this.frameCount }, (_, i) => this.name(i));
    const byName = Uint32Array.from(names.keys());
    byName.sort((a, b) => (names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : a - b));
    this.rank = new Uint32Array(this.frameCount);
    for (let i = 0; i < byName.length; i++) this.rank[byName[i]] = i;
    this.ranked = this.frameCount;
  }

  /**
   * Sees to childStart and order: two counting sorts, first by name, then by parent.  Names
   * and not weights, so that nothing changes places while weights do.
   */
  orderChildren(): void {
    if (this.ordered === this.shape) return;
    this.ordered = this.shape;
    this.rankFrames();
    const n = this.count, { parent, frame, rank } = this;
    const at = new Uint32Array(Math.max(this.frameCount, n) + 2);
    const byName = new Uint32Array(n);
    for (let i = 1; i < n; i++) at[rank[frame[i]] + 1]++;
    for (let i = 0; i < this.frameCount; i++) at[i + 1] += at[i];
    for (let i = 1; i < n; i++) byName[at[rank[frame[i]]]++] = i;
    const start = new Uint32Array(n + 1);
    for (let i = 1; i < n; i++) start[parent[i] + 1]++;
    for (let i = 0; i < n; i++) start[i + 1] += start[i];
    const order = new Uint32Array(n);
    at.set(start);
    for (let i = 0; i < n - 1; i++) order[at[parent[byName[i]]]++] = byName[i];
    this.childStart = start;
    this.order = order;
  }

  /** What each node weighs with all below it, on the sides of the mask. */
  totals(mask: number, unit: Unit): Float64Array {
    const key = unit + mask, known = this.sums.get(key);
    if (known && known.weight === this.weight && known.total.length >= this.count)
      return known.total;
    const total = known && known.total.length >= this.count && known.total.length < 2 * this.count
      ? known.total.fill(0) : new Float64Array(Math.ceil(this.count * 1.2));
    for (let side = 0; side < SIDES; side++) {
      const column = this[unit][side];
      if (!(mask & (1 << side)) || !column) continue;
      for (let i = 0; i < this.count; i++) total[i] += column[i];
    }
    const parent = this.parent;
    for (let i = this.count - 1; i > 0; i--) total[parent[i]] += total[i];
    if (this.sums.size > 8) this.sums.clear();
    this.sums.set(key, { weight: this.weight, total });
    return total;
  }

  /** What a node weighs by itself, on the sides of the mask. */
  self(node: number, mask: number, unit: Unit): number {
    let sum = 0;
    for (let side = 0; side < SIDES; side++) {
      const column = this[unit][side];
      if (mask & (1 << side) && column) sum += column[node];
    }
    return sum;
  }

  /** Where a node begins in a graph in which each unit of weight is 1 wide. */
  startOf(node: number, total: Float64Array): number {
    this.orderChildren();
    let start = 0;
    for (let at = node; at; at = this.parent[at]) {
      const above = this.parent[at];
      for (let i = this.childStart[above]; this.order[i] !== at; i++) start += total[this.order[i]];
    }
    return start;
  }

  isWithin(node: number, ancestor: number): boolean {
    while (node > ancestor) node = this.parent[node];
    return node === ancestor;
  }

  /** Names of the frames from below the root to the node. */
  path(node: number): string[] {
    const names: string[] = [];
    for (let at = node; at; at = this.parent[at]) names.push(this.nodeName(at));
    return names.reverse();
  }

  /** The deepest node whose path begins like this one. */
  findPath(names: string[]): number {
    this.orderChildren();
    let at = 0;
    for (const name of names) {
      let next = 0;
      for (let i = this.childStart[at]; i < this.childStart[at + 1] && !next; i++)
        if (this.nodeName(this.order[i]) === name) next = this.order[i];
      if (!next) return at;
      at = next;
    }
    return at;
  }
}
