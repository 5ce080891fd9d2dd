/**
 * A tree made from another: all that one function calls, from wherever it was called, as one.
 *
 * It has the other's frames and strings, and nodes of its own.  A node of the other one that
 * lies within another call of the function counts where the outermost call put it.
 */
import { SIDES, Tree } from "./tree.ts";

export class Focus {
  readonly tree = new Tree();
  private map = new Int32Array(0); /** node of the whole tree -> node here, -1: none */
  private seen = 0;
  private readonly children = new Map<number, number>();
  private shape = -1;
  private weight = -1;

  constructor(readonly whole: Tree, readonly frame: number) {
    this.tree.addNodes(1);
  }

  /** Brings it up to date with the whole tree. */
  update(): Tree {
    const { whole, tree } = this;
    if (this.shape === whole.shape && this.weight === whole.weight) return tree;
    tree.strings = whole.strings;
    if (tree.frameCount < whole.frameCount) tree.addFrames(whole.frameCount - tree.frameCount);
    tree.frameName = whole.frameName;
    tree.frameFile = whole.frameFile;
    tree.frameImage = whole.frameImage;
    tree.frameLine = whole.frameLine;
    tree.frameKind = whole.frameKind;
    this.grow();
    this.weigh();
    this.shape = whole.shape;
    this.weight = whole.weight;
    return tree;
  }

  private grow(): void {
    const { whole, tree } = this;
    if (this.map.length < whole.count) {
      const map = new Int32Array(Math.ceil(whole.count * 1.3));
      map.set(this.map);
      this.map = map;
    }
    for (let i = this.seen; i < whole.count; i++) {
      const above = i ? this.map[whole.parent[i]] : -1;
      if (above < 0 && whole.frame[i] !== this.frame) this.map[i] = -1;
      else this.map[i] = this.child(above < 0 ? 0 : above, whole.frame[i], whole.line[i]);
    }
    this.seen = whole.count;
    if (!tree.frameCount) return;
    tree.frame[0] = whole.frame[0];
  }

  private child(parent: number, frame: number, line: number): number {
    const key = parent * 0x200000 + frame; // frames are fewer than two million
    const known = this.children.get(key);
    if (known !== undefined) return known;
    const { tree } = this, made = tree.count;
    tree.addNodes(1);
    tree.parent[made] = parent;
    tree.frame[made] = frame;
    tree.line[made] = line;
    this.children.set(key, made);
    return made;
  }

  private weigh(): void {
    const { whole, tree } = this;
    for (let side = 0; side < SIDES; side++) {
      const nsec = whole.nsec[side], samples = whole.samples[side];
      if (!nsec || !samples) continue;
      const to = tree.weigh(side);
      to.nsec.fill(0);
      to.samples.fill(0);
      for (let i = 0; i < whole.count; i++) {
        const at = this.map[i];
        if (at < 0) continue;
        to.nsec[at] += nsec[i];
        to.samples[at] += samples[i];
      }
    }
  }
}
