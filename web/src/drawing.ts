/**
 * What comes over the WebSocket as binary messages (src/serve/drawing.h has the layout), put
 * into a tree.  Numbers are little-endian, as on every machine that browsers run on.
 */
import { Tree } from "./tree.ts";
import type { Scene } from "./scene.ts";

const MAGIC = 0x31646e73; // "snd1"
enum Section {
  Scene = 1,
  Strings,
  Frames,
  Nodes,
  Self,
}

export class Drawing {
  tree = new Tree();
  scene: Scene | null = null;
  seq = 0;
  epoch = 0;
  private readonly decoder = new TextDecoder();

  /** Throws where the message is none; what was there before is then not to be used. */
  take(message: ArrayBuffer): void {
    const head = new Uint32Array(message, 0, 4);
    if (head[0] !== MAGIC) throw new Error("a message of another kind of sonde: reload the page");
    this.seq = head[1];
    if (head[2] !== this.epoch) this.tree = new Tree();
    this.epoch = head[2];
    let at = 16;
    for (let left = head[3]; left; left--) {
      const [kind, count, base, size] = new Uint32Array(message, at, 4);
      at += 16;
      if (at + size > message.byteLength) throw new Error("a message that is cut");
      this.section(kind, count, base, message, at, size);
      at += size;
    }
  }

  private section(kind: Section, count: number, base: number, message: ArrayBuffer, at: number,
                  size: number): void {
    const column = (i: number) => new Uint32Array(message, at + 4 * i * count, count);
    switch (kind) {
      case Section.Scene:
        this.scene = JSON.parse(this.decoder.decode(new Uint8Array(message, at, count))) as Scene;
        return;
      case Section.Strings:
        this.strings(column(0), message, at + 4 * count, size - 4 * count);
        return;
      case Section.Frames:
        this.frames(count, base, column);
        return;
      case Section.Nodes:
        this.nodes(count, base, column);
        return;
      case Section.Self:
        this.self(base, column(0), new Float32Array(message, at + 4 * count, count),
                  new Float32Array(message, at + 8 * count, count));
    }
  }

  private strings(lengths: Uint32Array, message: ArrayBuffer, at: number, size: number): void {
    const bytes = new Uint8Array(message, at, size), strings = this.tree.strings;
    const all = this.decoder.decode(bytes);
    const plain = all.length === size; // each character is a byte
    let from = 0;
    for (const length of lengths) {
      strings.push(plain ? all.slice(from, from + length)
                         : this.decoder.decode(bytes.subarray(from, from + length)));
      from += length;
    }
  }

  private frames(count: number, base: number, column: (i: number) => Uint32Array): void {
    const t = this.tree;
    t.addFrames(count);
    t.frameName.set(column(0), base);
    t.frameFile.set(column(1), base);
    t.frameImage.set(column(2), base);
    t.frameLine.set(column(3), base);
    t.frameKind.set(column(4), base);
  }

  private nodes(count: number, base: number, column: (i: number) => Uint32Array): void {
    const t = this.tree;
    if (!count) return;
    t.addNodes(count);
    t.parent.set(column(0), base);
    t.frame.set(column(1), base);
    t.line.set(column(2), base);
  }

  private self(side: number, nodes: Uint32Array, nsec: Float32Array, samples: Float32Array): void {
    if (!nodes.length) return;
    const to = this.tree.weigh(side);
    for (let i = 0; i < nodes.length; i++) {
      to.nsec[nodes[i]] = nsec[i];
      to.samples[nodes[i]] = samples[i];
    }
  }
}
