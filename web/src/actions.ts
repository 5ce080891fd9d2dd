/** What a person does here; keys, buttons and the pointer all come to these. */
import { signal } from "@preact/signals";
import { Focus } from "./focus.ts";
import type { Found } from "./found.ts";
import type { Link } from "./link.ts";
import type { Span } from "./scene.ts";
import * as state from "./state.ts";
import { FrameKind } from "./tree.ts";

let link: Link | null = null;
export const busy = signal<string | null>(null);

export function actBy(l: Link): void {
  link = l;
}

/** Places are functions; of another file than the program, with its name before it. */
export function placeOf(frame: number): string | null {
  const tree = state.tree();
  const kind = tree.frameKind[frame];
  if (kind !== FrameKind.User && kind !== FrameKind.Inlined) return null;
  return tree.name(frame);
}

export async function measure(place: string): Promise<boolean> {
  if (!link || busy.value) return false;
  const known = state.spans.value.find((s) => s.place === place && !s.removed);
  if (known) {
    state.probe.value = known.probe;
    return true;
  }
  busy.value = `measuring ${place} …`;
  try {
    const reply = (await link.verb("watch", { place })) as { probe: number };
    state.probe.value = reply.probe;
    state.tab.value = "diff";
    state.say(`${place} is measured: every call from now on`);
    return true;
  } catch (e) {
    state.say((e as Error).message, true);
    return false;
  } finally {
    busy.value = null;
  }
}

/** Of a frame: where it cannot be, the finder has what was meant. */
export async function measureFrame(place: string): Promise<void> {
  if (!(await measure(place)) && state.notice.value?.error) openFinder(place);
}

/** Names that are first go first, where they fit. */
export async function find(text: string, first: string[]): Promise<Found> {
  if (!link) throw new Error("there is no connection to sonde now");
  return (await link.verb("find", { text, first: first.join("\n") })) as Found;
}

export function openFinder(text = ""): void {
  const s = state.scene.value;
  if (!s || !state.online.value) return;
  if (!s.live || s.read_only) {
    state.say(s.recording ? "A recording: nothing can be measured in it any more."
      : s.read_only ? "This page may look, not measure (sonde was started with --read-only)."
      : "The target has ended: nothing can be measured in it any more.");
    return;
  }
  state.finderText.value = text;
  state.finderShown.value = true;
}

export async function leave(span: Span): Promise<void> {
  try {
    await link?.verb("unwatch", { probe: span.probe });
    state.say(`${span.place} is not measured any more; what was seen of it stays`);
  } catch (e) {
    state.say((e as Error).message, true);
  }
}

export function pause(): void {
  const p = state.scene.value;
  if (!state.online.value) return;
  if (state.pausedAt.value !== null) state.pausedAt.value = null;
  else if (p?.live) state.pausedAt.value = p.picture.window.to_ns;
}

export function focus(node: number): void {
  if (node <= 0) return;
  const tree = state.tree(), whole = state.focused.value;
  const made = new Focus(whole ? whole.whole : tree, tree.frame[node]);
  state.focused.value = made;
  made.update();
  state.selected.value = -1;
  state.view.value = { node: 0, from: 0, to: 1 };
}

export function unfocus(): void {
  state.focused.value = null;
  state.selected.value = -1;
  state.view.value = { node: 0, from: 0, to: 1 };
}

/** One step back: what was opened last is closed. */
export function escape(): void {
  if (state.helpShown.value) state.helpShown.value = false;
  else if (state.finderShown.value) state.finderShown.value = false;
  else if (state.searched.value) state.searched.value = "";
  else if (state.view.value.node || state.view.value.to < 1 || state.view.value.from > 0)
    state.view.value = { node: 0, from: 0, to: 1 };
  else if (state.focused.value) unfocus();
  else state.selected.value = -1;
}
