/** What `find` answers, and how it reads. */
import { count, duration } from "./format.ts";
import { functionTimes } from "./functions.ts";
import { FrameKind, type Tree } from "./tree.ts";

export interface FoundRow {
  place: string;
  name: string;
  function: string;
  image: string;
  main: boolean;
  file: string;
  line: number;
  price: string;
  price_ns: number;
  exit: string;
  reason: string;
}

export interface Found {
  fit: number;
  looked: number;
  cut: boolean;
  pattern: boolean;
  rows: FoundRow[];
}

export const NOTHING: Found = { fit: 0, looked: 0, cut: false, pattern: false, rows: [] };

/** The part of the time that each function of the program and its libraries is in, by name. */
export function shares(tree: Tree, mask: number): Map<string, number> {
  const whole = tree.totals(mask, "nsec")[0], names = new Map<string, number>();
  for (const r of functionTimes(tree, mask)) {
    const kind = tree.frameKind[r.frame], name = tree.name(r.frame);
    if (kind === FrameKind.User || kind === FrameKind.Inlined)
      names.set(name, Math.max(names.get(name) ?? 0, r.total / whole));
  }
  return names;
}

/** The names with the most time of those that have all words of the text. */
export function mostOf(names: Map<string, number>, text: string, most: number): string[] {
  const words = text.toLowerCase().split(/\s+/);
  return [...names].filter(([name]) => words.every((w) => name.toLowerCase().includes(w)))
    .sort((a, b) => b[1] - a[1]).slice(0, most).map(([name]) => name);
}

export const mayMeasure = (row: FoundRow): boolean => row.price !== "refused" && row.exit !== "none";

/** What measuring it takes, in a word or two. */
export function priceWords(row: FoundRow): string {
  if (!mayMeasure(row)) return "cannot";
  return row.price_ns ? `${duration(row.price_ns)} a call` : row.price;
}

/** And how. */
export function howWords(row: FoundRow): string {
  if (row.price === "refused") return `It cannot be measured: ${row.reason}.`;
  if (row.exit === "none") return `The end of its calls cannot be seen: ${row.reason}.`;
  const dear = row.price === "stepped" ? " An instruction of it has to be single-stepped, which is dear." : "";
  return `The end of its calls is seen by ${row.exit}${row.reason ? `: ${row.reason}` : ""}.${dear}`;
}

/** Those of the program go before those of its libraries: what began all threads is seldom meant. */
export function programFirst(rows: FoundRow[]): FoundRow[] {
  return [...rows.filter((r) => r.main), ...rows.filter((r) => !r.main)];
}

/** The names that a sentence says are near: "no function 'f' in x (near: g, h; ...". */
export function nearNames(sentence: string): string[] {
  const m = /\(near: ([^;)]*)/.exec(sentence);
  return m ? m[1].split(", ") : [];
}

/** How many there are. */
export function countWords(found: Found): string {
  const shown = found.rows.length;
  const all = found.fit > shown ? `The first ${count(shown)} of ${count(found.fit)} functions`
    : found.fit === 1 ? "1 function" : `${count(found.fit)} functions`;
  return found.cut ? `${all}, of the ${count(found.looked)} that could be looked at in time.` : `${all}.`;
}
