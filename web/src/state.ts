/** What the page knows and what it is asked for; everything that is shown follows from it. */
import { batch, computed, effect, signal } from "@preact/signals";
import { Comparison } from "./contrast.ts";
import { Drawing } from "./drawing.ts";
import { Focus } from "./focus.ts";
import { exact, nanoseconds } from "./format.ts";
import { WHOLE, type View } from "./flame.ts";
import type { Link } from "./link.ts";
import { pattern } from "./search.ts";
import { quotePlace, type Question, type Scene, type Span } from "./scene.ts";
import { ALL_SIDES, SIDE_IN, SIDE_OPEN, SIDE_REST, Tree } from "./tree.ts";

export type TimeWindow = "10s" | "1min" | "ewma" | "all";
export type Tab = "all" | "in" | "rest" | "open" | "diff";

/** Which calls of the span are compared with the others. */
export type Bound =
  | { kind: "percentile"; name: string }
  | { kind: "above"; low: number }
  | { kind: "between"; low: number; high: number };

export const EWMA_HALF = "30s";

const drawing = new Drawing();
/** Raised when a drawing came. */
export const version = signal(0);
export const scene = signal<Scene | null>(null);
export const failure = signal<string | null>(null);
/** A sentence that goes away by itself. */
export const notice = signal<{ text: string; error: boolean } | null>(null);

export const timeWindow = signal<TimeWindow>("all");
/** Where time stands still for the one who looks, ns; null: it goes on. */
export const pausedAt = signal<number | null>(null);
export const probe = signal<number | null>(null);
/** Functions that were measured and are of no interest any more. */
export const forgotten = signal<ReadonlySet<number>>(new Set());
export const bound = signal<Bound>({ kind: "percentile", name: "p95" });
export const tab = signal<Tab>("all");
export const view = signal<View>(WHOLE);
export const selected = signal(-1);
export const searched = signal("");
export const focused = signal<Focus | null>(null);
export const helpShown = signal(false);
export const finderShown = signal(false);
/** What is written in it when it opens. */
export const finderText = signal("");

/** The tree that is looked at: all of it, or what one function calls. */
export function tree(): Tree {
  return focused.value ? focused.value.update() : drawing.tree;
}

export const spans = computed(() => scene.value?.picture.spans ?? []);

/** The span that is split: the chosen one, else the first that is still watched. */
export const span = computed<Span | null>(() => {
  const all = spans.value;
  return all.find((s) => s.probe === probe.value) ?? all.find((s) => !s.removed) ?? all[0] ?? null;
});

export function expressionOf(b: Bound, subject: string): string {
  switch (b.kind) {
    case "percentile": return `${subject} > ${b.name}`;
    case "above": return `${subject} > ${exact(b.low)}`;
    case "between": return `${subject} in ${exact(b.low)}..${exact(b.high)}`;
  }
}

/** The bound that an expression of durations means; null: it is of another kind. */
export function boundOf(expression: string): Bound | null {
  const m = /^(?:.*\.)?dur (?:> (p[\d.]+|[\d.]+\w*)|in (\S+)\.\.(\S+))$/.exec(expression.trim());
  if (!m) return null;
  if (m[1]?.startsWith("p")) return { kind: "percentile", name: m[1] };
  const [low, high] = (m[1] ? [m[1]] : [m[2], m[3]]).map(nanoseconds);
  if (!Number.isFinite(low)) return null;
  return high === undefined ? { kind: "above", low }
    : Number.isFinite(high) ? { kind: "between", low, high } : null;
}

const splitExpression = computed(() => {
  const s = span.value;
  // whose duration is always said: another function may be measured at any time
  return s ? expressionOf(bound.value, `${quotePlace(s.place)}.dur`) : undefined;
});

export const question = computed<Question>(() => ({
  split: splitExpression.value,
  last: timeWindow.value === "10s" ? "10s" : timeWindow.value === "1min" ? "60s" : undefined,
  ewma: timeWindow.value === "ewma" ? EWMA_HALF : undefined,
  until: pausedAt.value ?? undefined,
}));

export const comparison = computed(() => {
  const p = scene.value?.picture;
  return p ? Comparison.of(p) : null;
});

/** What is asked about is what is shown, and not an older question's answer. */
export const isAnswered = computed(() => {
  const p = scene.value?.picture;
  return !!p && (p.split?.expr ?? "") === (question.value.split ?? "");
});

/** Somebody answers: without, what is shown is the last that was said. */
export const online = signal(true);

export const expression = computed(() => pattern(searched.value));

/** The tab, or what can be shown instead of it. */
export const shownTab = computed<Tab>(() => {
  if (!span.value) return "all";
  return tab.value === "diff" && !comparison.value ? "in" : tab.value;
});

export const mask = computed(() => {
  switch (shownTab.value) {
    case "in": case "diff": return 1 << SIDE_IN;
    case "rest": return 1 << SIDE_REST;
    case "open": return 1 << SIDE_OPEN;
    default: return ALL_SIDES;
  }
});

/** How the two sides are called. */
export const sideWords = computed(() =>
  bound.value.kind === "between"
    ? { in: "selected calls", rest: "the rest", short: "selected" }
    : { in: "slow calls", rest: "the rest", short: "slow" });

// ---- what comes ----

let lastPath: string[] = [];

/** Returns which message it was, to be acknowledged when it is drawn. */
export function take(message: ArrayBuffer): number {
  const before = drawing.epoch, known = drawing.tree;
  if (view.value.node) lastPath = known.path(view.value.node);
  const first = !scene.value?.picture.spans.length;
  drawing.take(message);
  batch(() => {
    if (drawing.epoch !== before || drawing.tree !== known) numbersChanged();
    scene.value = drawing.scene;
    failure.value = null;
    if (first && drawing.scene?.picture.spans.length && tab.value === "all") tab.value = "diff";
    version.value++;
  });
  return drawing.seq;
}

/** Nodes have other numbers now: what is looked at is found again by its names. */
function numbersChanged(): void {
  const names = lastPath;
  focused.value = null;
  selected.value = -1;
  const node = names.length ? drawing.tree.findPath(names) : 0;
  view.value = { node, from: 0, to: 1 };
}

/** A new connection begins at nothing. */
export function forget(): void {
  drawing.tree = new Tree();
  drawing.epoch = 0;
  drawing.seq = 0;
  lastPath = [];
}

// ---- what goes ----

let said: ReturnType<typeof setTimeout> | undefined;

export function say(text: string, error = false): void {
  notice.value = { text, error };
  clearTimeout(said);
  said = setTimeout(() => (notice.value = null), error ? 12000 : 5000);
}

/** The newest question is the one that is asked: at most one is under way. */
export function keepAsking(link: Link): void {
  let asking = false, asked = "";
  const ask = async (): Promise<void> => {
    const key = JSON.stringify(question.value);
    if (asking || key === asked || link.state.value !== "open") return;
    asking = true;
    asked = key;
    try {
      await link.show(question.value);
    } catch (e) {
      failure.value = (e as Error).message;
    }
    asking = false;
    void ask();
  };
  effect(() => {
    void question.value;
    if (link.state.value !== "open") asked = "";
    void ask();
  });
}
