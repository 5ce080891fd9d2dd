/**
 * The flame graph: callers above callees, as wide as what they weigh, in order of name.
 *
 * Pure but for the canvas it is given.  Only what can be seen is walked: a node narrower than
 * LEAST is drawn with its neighbours as one, and what is below it not at all; so a tree of a
 * million nodes costs what is on the screen.
 */
import { compared, Palette, shadeOf, SHADES } from "./colour.ts";
import type { Comparison } from "./contrast.ts";
import { shorten } from "./names.ts";
import { ALL_SIDES, Tree } from "./tree.ts";

export const ROW = 18; /** px, with its gap */
const LEAST = 0.5; /** px */
const LABEL_LEAST = 26; /** px that a name needs */
const LABELS_MOST = 4000; /** that are kept */
const RUN = -1; /** in place of a node: several, too narrow to be told apart */

/** What is looked at: a part of a node, from 0..1 to 0..1 of its width. */
export interface View {
  node: number;
  from: number;
  to: number;
}

export const WHOLE: View = { node: 0, from: 0, to: 1 };

/** What is drawn; kept so that pointers and tests can ask. */
export interface Rects {
  count: number;
  node: Int32Array;
  x: Float64Array;
  width: Float64Array;
  row: Int32Array;
  rows: number;
}

export interface Look {
  palette: Palette;
  comparison: Comparison | null;
  /** The span that is compared: what is outside of it is drawn pale. */
  span: string;
  matched: Uint8Array | null;
}

export class Flame {
  tree = new Tree();
  mask = ALL_SIDES;
  view: View = WHOLE;
  width = 0; /** px */
  height = 0;
  scroll = 0; /** px */
  rects: Rects = { count: 0, node: new Int32Array(0), x: new Float64Array(0),
                   width: new Float64Array(0), row: new Int32Array(0), rows: 0 };
  hues: boolean[] = []; /** by index of HUES: there is a frame of it */
  private shades = new Uint8Array(0);
  private shadesOf: string[] | null = null;
  private shadesCount = 0;
  private labels = new Map<string, string>();
  private charWidth = 0;
  /** Where the view is drawn while it moves to another: fractions of the root. */
  private moving: { from: number; to: number; began: number; took: number } | null = null;
  private shown = { from: 0, to: 1 };

  get total(): Float64Array {
    return this.tree.totals(this.mask, "nsec");
  }

  /** The view as a part of the root, 0..1; where its node weighs nothing, of what does. */
  private target(): { from: number; to: number } {
    const total = this.total, whole = total[0];
    let { node, from, to } = this.view;
    if (node >= this.tree.count || !whole) return { from: 0, to: 1 };
    while (node && !total[node]) {
      node = this.tree.parent[node];
      from = 0;
      to = 1;
    }
    const start = node ? this.tree.startOf(node, total) : 0;
    return { from: (start + from * total[node]) / whole, to: (start + to * total[node]) / whole };
  }

  /** Looks elsewhere; took: milliseconds until it is there, 0: at once. */
  go(view: View, now: number, took: number): void {
    const before = this.shown;
    this.view = view;
    this.moving = took ? { ...before, began: now, took } : null;
  }

  /** Whether it has to be drawn again, for it still moves. */
  get moves(): boolean {
    return this.moving !== null;
  }

  private range(now: number): { from: number; to: number } {
    const target = this.target();
    if (!this.moving) return target;
    const t = (now - this.moving.began) / this.moving.took;
    if (t >= 1) {
      this.moving = null;
      return target;
    }
    const eased = 1 - (1 - t) ** 3;
    return { from: this.moving.from + (target.from - this.moving.from) * eased,
             to: this.moving.to + (target.to - this.moving.to) * eased };
  }

  /** Finds what is in view. */
  layout(now = 0): Rects {
    const { tree } = this, r = this.rects;
    r.count = 0;
    r.rows = 0;
    if (!tree.count) return r;
    tree.orderChildren();
    const total = this.total, range = this.range(now);
    this.shown = range;
    const scale = total[0] ? this.width / ((range.to - range.from) * total[0]) : 0;
    const left = -range.from * total[0] * scale;
    let nodes: number[] = [0], xs: number[] = [left];
    this.add(0, Math.max(left, 0), Math.min(total[0] * scale + Math.min(left, 0), this.width), 0);
    if (!total[0]) r.width[0] = this.width;
    for (let row = 1; nodes.length; row++) {
      const below: number[] = [], belowX: number[] = [];
      for (let i = 0; i < nodes.length; i++)
        this.children(nodes[i], xs[i], row, scale, total, below, belowX);
      r.rows = row;
      nodes = below;
      xs = belowX;
    }
    return r;
  }

  private children(node: number, x: number, row: number, scale: number, total: Float64Array,
                   below: number[], belowX: number[]): void {
    const { childStart, order } = this.tree, width = this.width;
    let runFrom = 0, runTo = -1; // narrow ones side by side
    for (let i = childStart[node]; i < childStart[node + 1]; i++) {
      const child = order[i], w = total[child] * scale;
      if (w <= 0) continue;
      const end = x + w;
      if (end > 0 && x < width) {
        const from = Math.max(x, 0), to = Math.min(end, width);
        if (to - from < LEAST && w < LEAST) {
          if (runTo < 0) runFrom = from;
          runTo = to;
        } else {
          if (runTo >= 0) this.add(RUN, runFrom, runTo - runFrom, row);
          runTo = -1;
          this.add(child, from, to - from, row);
          below.push(child);
          belowX.push(x);
        }
      }
      x = end;
      if (x >= width) break;
    }
    if (runTo >= 0) this.add(RUN, runFrom, runTo - runFrom, row);
  }

  private add(node: number, x: number, width: number, row: number): void {
    const r = this.rects, i = r.count++;
    if (i >= r.node.length) {
      const room = Math.max(1024, 2 * r.node.length);
      const copy = <A extends Int32Array | Float64Array>(old: A, made: A): A => {
        made.set(old as never);
        return made;
      };
      r.node = copy(r.node, new Int32Array(room));
      r.x = copy(r.x, new Float64Array(room));
      r.width = copy(r.width, new Float64Array(room));
      r.row = copy(r.row, new Int32Array(room));
    }
    r.node[i] = node;
    r.x[i] = x;
    r.width[i] = width;
    r.row[i] = row;
  }

  /** Px that it would need to be seen whole. */
  get fullHeight(): number {
    return this.rects.rows * ROW;
  }

  /** The node at a point, -1: there is none. */
  at(x: number, y: number): number {
    const row = Math.floor((y + this.scroll) / ROW), r = this.rects;
    let low = 0, high = r.count; // rows ascend
    while (low < high) {
      const middle = (low + high) >> 1;
      if (r.row[middle] < row) low = middle + 1;
      else high = middle;
    }
    for (let i = low; i < r.count && r.row[i] === row; i++)
      if (x >= r.x[i] && x < r.x[i] + r.width[i]) return r.node[i];
    return -1;
  }

  /** Where a node is drawn, as an index of rects; -1: it is not. */
  find(node: number): number {
    for (let i = 0; i < this.rects.count; i++) if (this.rects.node[i] === node) return i;
    return -1;
  }

  /** The view in which what is under x stays there and everything is `factor` times as wide. */
  zoomed(x: number, factor: number): View {
    const { from, to } = this.shown, at = from + ((to - from) * x) / this.width;
    return this.viewOf(at - (at - from) / factor, at + (to - at) / factor);
  }

  /** The view moved by a part of its width. */
  panned(part: number): View {
    const { from, to } = this.shown, by = (to - from) * part;
    const move = Math.min(Math.max(by, -from), 1 - to);
    return this.viewOf(from + move, to + move);
  }

  /** The deepest node that holds all of a part of the root, and which part of it that is. */
  private viewOf(from: number, to: number): View {
    const total = this.total, whole = total[0], { childStart, order } = this.tree;
    from = Math.max(from, 0);
    to = Math.min(to, 1);
    if (!whole || to <= from) return WHOLE;
    const a = from * whole, b = to * whole;
    let node = 0, start = 0;
    for (let found = true; found; ) {
      let x = start;
      found = false;
      for (let i = childStart[node]; i < childStart[node + 1] && x <= a; i++) {
        const child = order[i];
        if (a >= x && b <= x + total[child] && total[child] > 0) {
          node = child;
          start = x;
          found = true;
          break;
        }
        x += total[child];
      }
    }
    return { node, from: (a - start) / total[node], to: (b - start) / total[node] };
  }

  // ---- the canvas ----

  private shade(frame: number): number {
    const { tree } = this;
    if (this.shadesOf !== tree.strings || this.shadesCount > tree.frameCount) {
      this.shadesOf = tree.strings;
      this.shadesCount = 0;
      this.labels.clear();
      this.hues = [];
    }
    if (this.shadesCount < tree.frameCount) {
      const shades = new Uint8Array(tree.frameCount);
      shades.set(this.shades.subarray(0, this.shadesCount));
      for (let i = this.shadesCount; i < tree.frameCount; i++) {
        shades[i] = shadeOf(tree, i);
        this.hues[Math.floor(shades[i] / SHADES)] = i > 0; // the root is no function
      }
      this.shades = shades;
      this.shadesCount = tree.frameCount;
    }
    return this.shades[frame];
  }

  /** known: of callers that were asked about before. */
  private inside(look: Look, node: number, known: Map<number, boolean>): boolean {
    if (!node) return false;
    let is = known.get(node);
    if (is === undefined) {
      is = this.tree.nodeName(node) === look.span || this.inside(look, this.tree.parent[node], known);
      known.set(node, is);
    }
    return is;
  }

  private colour(look: Look, node: number, known: Map<number, boolean>): string {
    const { palette, comparison } = look;
    if (node === RUN) return palette.noise;
    if (look.matched?.[this.tree.frame[node]]) return palette.match;
    if (!comparison) return palette.plain[this.shade(this.tree.frame[node])];
    if (look.span && !this.inside(look, node, known)) return palette.outer;
    const d = comparison.node(this.tree, node);
    if (d.noise || !comparison.most) return palette.noise;
    return compared(palette, d.extra / comparison.most);
  }

  private label(name: string, room: number): string {
    const key = `${room} ${name}`;
    let label = this.labels.get(key);
    if (label === undefined) {
      if (this.labels.size > LABELS_MOST) this.labels.clear();
      label = shorten(name, room);
      this.labels.set(key, label);
    }
    return label;
  }

  paint(ctx: CanvasRenderingContext2D, look: Look, now = 0): void {
    const r = this.layout(now), { palette } = look;
    const first = Math.floor(this.scroll / ROW), last = (this.scroll + this.height) / ROW;
    const groups = new Map<string, number[]>(), known = new Map<number, boolean>();
    const colours: string[] = new Array(r.count);
    for (let i = 0; i < r.count; i++) {
      if (r.row[i] < first || r.row[i] > last) continue;
      const colour = (colours[i] = this.colour(look, r.node[i], known));
      const group = groups.get(colour);
      if (group) group.push(i);
      else groups.set(colour, [i]);
    }
    ctx.fillStyle = palette.background;
    ctx.fillRect(0, 0, this.width, this.height);
    for (const [colour, group] of groups) {
      ctx.fillStyle = colour;
      for (const i of group) {
        const w = r.width[i];
        ctx.fillRect(r.x[i], r.row[i] * ROW - this.scroll, w > 3 ? w - 1 : w, ROW - 1);
      }
    }
    this.paintLabels(ctx, look, colours, first, last);
  }

  private paintLabels(ctx: CanvasRenderingContext2D, look: Look, colours: string[], first: number,
                      last: number): void {
    const r = this.rects, { palette } = look;
    ctx.font = FONT;
    ctx.textBaseline = "middle";
    if (!this.charWidth) this.charWidth = ctx.measureText("mmmmmmmmmm").width / 10;
    for (let i = 0; i < r.count; i++) {
      if (r.row[i] < first || r.row[i] > last || r.width[i] < LABEL_LEAST || r.node[i] === RUN)
        continue;
      const room = Math.floor((r.width[i] - 7) / this.charWidth);
      const label = this.label(this.tree.nodeName(r.node[i]), room);
      if (!label) continue;
      const text = palette.dim.has(colours[i]) ? palette.dimText : palette.text;
      if (ctx.fillStyle !== text) ctx.fillStyle = text;
      ctx.fillText(label, r.x[i] + 3, r.row[i] * ROW - this.scroll + ROW / 2);
    }
  }
}

export const FONT = '11.5px "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace';
