/** Which frames a search means, and how much of the time is in them. */
import type { Tree } from "./tree.ts";

/** An expression that means a text as it stands. */
export const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A regular expression; what is none is meant as it stands.  Case counts if it is used. */
export function pattern(text: string): RegExp | null {
  if (!text) return null;
  const flags = /[A-Z]/.test(text) ? "" : "i";
  try {
    return new RegExp(text, flags);
  } catch {
    return new RegExp(literal(text), flags);
  }
}

/** Why a text is no regular expression; "": it is one. */
export function patternError(text: string): string {
  try {
    new RegExp(text);
    return "";
  } catch (e) {
    return `${(e as Error).message}; it is searched as it stands`;
  }
}

/** By frame: 1 where its name matches. */
export function matchFrames(tree: Tree, expression: RegExp): Uint8Array {
  const matched = new Uint8Array(tree.frameCount);
  const strings = new Map<number, number>();
  for (let i = 0; i < tree.frameCount; i++) {
    const string = tree.frameName[i];
    let does = strings.get(string);
    if (does === undefined) {
      does = expression.test(tree.strings[string]) ? 1 : 0;
      strings.set(string, does);
    }
    matched[i] = does;
  }
  return matched;
}

/**
 * What the matched frames weigh below a node with all they call, each stack counted once.
 * total: of Tree.totals().
 */
export function weighMatches(tree: Tree, matched: Uint8Array, below: number,
                             total: Float64Array): number {
  const state = new Uint8Array(tree.count); // 1: below the node, 2: within a match as well
  let sum = 0;
  for (let i = below; i < tree.count; i++) {
    const above = i === below ? 1 : state[tree.parent[i]];
    if (!above) continue;
    state[i] = above;
    if (above === 1 && matched[tree.frame[i]]) {
      state[i] = 2;
      sum += total[i];
    }
  }
  return sum;
}
