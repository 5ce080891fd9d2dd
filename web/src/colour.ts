/**
 * Colours of frames.  The hue says what a frame is, as in the field: kernel orange, C++ yellow,
 * other native code red, JIT green, inlined aqua, waiting blue, who has a lock violet; the shade is drawn from the name.  Compared:
 * red is more time a call, blue less, grey within noise; safe for the colour-blind.
 */
import { FrameKind, Tree } from "./tree.ts";

interface Hue {
  name: string;
  hue: number;
  range: number;
  saturation: number;
  light: number;
  lightRange: number;
}

export const HUES: Hue[] = [
  { name: "native", hue: 9, range: 9, saturation: 78, light: 74, lightRange: 7 },
  { name: "C++, Rust", hue: 50, range: 6, saturation: 82, light: 70, lightRange: 7 },
  { name: "kernel", hue: 30, range: 5, saturation: 92, light: 69, lightRange: 6 },
  { name: "inlined", hue: 178, range: 7, saturation: 45, light: 72, lightRange: 6 },
  { name: "JIT", hue: 104, range: 10, saturation: 45, light: 71, lightRange: 6 },
  { name: "waiting", hue: 214, range: 10, saturation: 60, light: 76, lightRange: 6 },
  { name: "holder, waker", hue: 268, range: 10, saturation: 48, light: 80, lightRange: 5 },
  { name: "probes", hue: 220, range: 0, saturation: 4, light: 72, lightRange: 4 },
  { name: "other", hue: 40, range: 0, saturation: 6, light: 88, lightRange: 2 },
];
const [NATIVE, CXX, KERNEL, INLINED, JIT, WAIT, HOLDER, PROBE, OTHER] = HUES.keys();
export const SHADES = 8;
const RAMP = 16;

export interface Palette {
  plain: string[]; /** hue * SHADES + shade */
  more: string[]; /** 0..RAMP, pale to full */
  less: string[];
  noise: string;
  outer: string;
  match: string;
  text: string;
  /** The colours that text is too dark for, and what is written on them. */
  dim: Set<string>;
  dimText: string;
  faint: string;
  background: string;
  line: string;
}

function hueOf(tree: Tree, frame: number): number {
  switch (tree.frameKind[frame]) {
    case FrameKind.Kernel: return KERNEL;
    case FrameKind.Jit: return JIT;
    case FrameKind.Inlined: return INLINED;
    case FrameKind.Wait: return WAIT;
    case FrameKind.Holder: return HOLDER;
    case FrameKind.Probe: return PROBE;
    case FrameKind.Other: return OTHER;
  }
  return tree.name(frame).includes("::") ? CXX : NATIVE;
}

function hash(text: string): number {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return (h ^ (h >>> 13)) >>> 0;
}

/** Which of palette.plain a frame has. */
export function shadeOf(tree: Tree, frame: number): number {
  return hueOf(tree, frame) * SHADES + (hash(tree.name(frame)) % SHADES);
}

function mix(from: number[], to: number[], much: number): string {
  return `rgb(${from.map((f, i) => Math.round(f + (to[i] - f) * much)).join(",")})`;
}

function ramp(from: number[], to: number[]): string[] {
  return Array.from({ length: RAMP + 1 }, (_, i) => mix(from, to, i / RAMP));
}

export function palette(dark: boolean): Palette {
  const plain: string[] = [];
  for (const h of HUES)
    for (let s = 0; s < SHADES; s++) {
      const u = (s / (SHADES - 1)) * 2 - 1, v = ((s * 5) % SHADES / (SHADES - 1)) * 2 - 1;
      const light = h.light + v * h.lightRange - (dark ? 12 : 0);
      plain.push(`hsl(${h.hue + u * h.range} ${h.saturation - (dark ? 22 : 0)}% ${light}%)`);
    }
  const more = ramp([120, 84, 76], [238, 106, 80]), less = ramp([78, 98, 116], [91, 160, 222]);
  const noise = "#4a4f58", outer = "#33373f", pale = RAMP / 2;
  return dark
    ? { plain, more, less, noise, outer, match: "#c07bf0", text: "#14161a", faint: "#c9ced6",
        dim: new Set([noise, outer, ...more.slice(0, pale), ...less.slice(0, pale)]),
        dimText: "#d9dde3", background: "#17191d", line: "#17191d" }
    : { dim: new Set(), dimText: "#1b1c1e", plain, more: ramp([251, 227, 216], [232, 106, 80]), less: ramp([214, 230, 242], [91, 155, 208]),
        noise: "#dcdddd", outer: "#eeeeec", match: "#b35cf0", text: "#1b1c1e", faint: "#5a5f66",
        background: "#ffffff", line: "#ffffff" };
}

/** How red or blue: strength from -1 to 1. */
export function compared(p: Palette, strength: number): string {
  const step = Math.round(Math.min(Math.abs(strength), 1) * RAMP);
  return (strength > 0 ? p.more : p.less)[step];
}
