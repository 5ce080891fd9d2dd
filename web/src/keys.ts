/** The keyboard; letters as in the field's other tools. */
import { escape, focus, measureFrame, openFinder, pause, placeOf } from "./actions.ts";
import { flame } from "./graph.tsx";
import { matchFrames } from "./search.ts";
import * as state from "./state.ts";

export const KEYS: [string, string][] = [
  ["/", "search functions"], ["n N", "next, previous match"], ["Esc", "close, clear, back"],
  ["← → ↑ ↓", "go over frames: siblings, caller, callee"], ["Enter", "zoom to the selected frame"],
  ["w s", "zoom in and out"], ["a d", "left and right"], ["0", "show all"],
  ["f", "focus: all calls of the selected function as one"],
  ["p", "measure the selected function"], ["Ctrl P", "measure a function by name"],
  ["1 … 5", "everything, slow calls, the rest, still open, difference"],
  ["[ ]", "a shorter, a longer time"], ["Space", "pause"], ["?", "this"],
];

const WINDOWS: state.TimeWindow[] = ["10s", "1min", "ewma", "all"];

function select(node: number): void {
  const { view } = state, tree = state.tree();
  state.selected.value = node;
  if (!tree.isWithin(node, view.value.node) || flame.find(node) < 0)
    view.value = { node: tree.parent[node], from: 0, to: 1 };
}

function walk(key: string): void {
  const tree = state.tree(), total = tree.totals(state.mask.value, "nsec");
  const at = Math.max(state.selected.value, 0);
  if (at >= tree.count) return;
  tree.orderChildren();
  const kids = (n: number) =>
    Array.from(tree.order.subarray(tree.childStart[n], tree.childStart[n + 1])).filter((c) => total[c] > 0);
  if (key === "ArrowUp") select(tree.parent[at]);
  else if (key === "ArrowDown") {
    const below = kids(at);
    if (below.length) select(below.reduce((a, b) => (total[b] > total[a] ? b : a)));
  } else {
    const beside = kids(tree.parent[at]), i = beside.indexOf(at) + (key === "ArrowRight" ? 1 : -1);
    if (at && beside[i] !== undefined) select(beside[i]);
  }
}

/** The next frame that is drawn and matches. */
function nextMatch(back: boolean): void {
  const e = state.expression.value, tree = state.tree(), r = flame.rects;
  if (!e) return;
  const matched = matchFrames(tree, e), shown: number[] = [];
  for (let i = 0; i < r.count; i++)
    if (r.node[i] > 0 && matched[tree.frame[r.node[i]]]) shown.push(r.node[i]);
  if (!shown.length) return;
  const at = shown.indexOf(state.selected.value);
  state.selected.value = shown[(at + (back ? -1 : 1) + shown.length) % shown.length];
}

function shiftWindow(by: number): void {
  const at = WINDOWS.indexOf(state.timeWindow.value) + by;
  if (WINDOWS[at]) state.timeWindow.value = WINDOWS[at];
}

function act(e: KeyboardEvent): boolean {
  if (state.finderShown.value || (state.helpShown.value && e.key !== "?")) return false;
  const node = state.selected.value, tree = state.tree();
  switch (e.key) {
    case "/": document.getElementById("search")?.focus(); return true;
    case "n": nextMatch(false); return true;
    case "N": nextMatch(true); return true;
    case "ArrowUp": case "ArrowDown": case "ArrowLeft": case "ArrowRight": walk(e.key); return true;
    case "Enter": if (node >= 0) state.view.value = { node, from: 0, to: 1 }; return true;
    case "w": case "+": state.view.value = flame.zoomed(flame.width / 2, 1.5); return true;
    case "s": case "-": state.view.value = flame.zoomed(flame.width / 2, 1 / 1.5); return true;
    case "a": state.view.value = flame.panned(-0.2); return true;
    case "d": state.view.value = flame.panned(0.2); return true;
    case "0": state.view.value = { node: 0, from: 0, to: 1 }; return true;
    case "f": focus(node); return true;
    case "p": {
      const place = node > 0 && node < tree.count ? placeOf(tree.frame[node]) : null;
      if (place && state.scene.value?.live && !state.scene.value.read_only) void measureFrame(place);
      return true;
    }
    case "1": case "2": case "3": case "4": case "5":
      state.tab.value = (["all", "in", "rest", "open", "diff"] as const)[Number(e.key) - 1];
      return true;
    case "[": shiftWindow(-1); return true;
    case "]": shiftWindow(1); return true;
    case " ": pause(); return true;
    case "?": state.helpShown.value = !state.helpShown.value; return true;
  }
  return false;
}

export function listen(): void {
  // a button that was clicked does not take the keys that follow; one reached by Tab does
  addEventListener("click", (e) => {
    if (e.detail && document.activeElement instanceof HTMLButtonElement) document.activeElement.blur();
  });
  addEventListener("keydown", (e) => {
    const typing = e.target instanceof HTMLInputElement;
    if (e.key === "Escape") {
      escape();
      if (typing) (e.target as HTMLInputElement).blur();
      e.preventDefault();
    } else if ((e.ctrlKey || e.metaKey) && (e.key === "p" || e.key === "P")) {
      openFinder();
      e.preventDefault();
    } else if (typing && e.key === "Enter") {
      (e.target as HTMLInputElement).blur();
    } else if (!typing && !e.ctrlKey && !e.metaKey && !e.altKey &&
               !(e.key === " " && e.target instanceof HTMLButtonElement) &&
               !(e.key === "Enter" && e.target instanceof HTMLButtonElement) && act(e)) {
      e.preventDefault();
    }
  });
}
