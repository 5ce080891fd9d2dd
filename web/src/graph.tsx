/** The flame graph with its tabs, search and what is said of the frame under the pointer. */
import { effect, useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { busy, focus, measureFrame, placeOf, unfocus } from "./actions.ts";
import { HUES, palette, SHADES } from "./colour.ts";
import { Flame, ROW } from "./flame.ts";
import { brief, count, difference, duration, percent, place } from "./format.ts";
import { secondsMore } from "./contrast.ts";
import { dark, still } from "./scheme.ts";
import { matchFrames, patternError, weighMatches } from "./search.ts";
import * as state from "./state.ts";
import type { Tree } from "./tree.ts";

const MOVE = 150; /** ms that a zoom takes */
export const flame = new Flame();
/** What happened last to the graph, for tests and the curious. */
export const timing = { draw: 0, rects: 0 };

interface Pointed {
  node: number;
  x: number;
  y: number;
}

function spread(samples: number, period: number): number {
  return 1.96 * Math.sqrt(samples) * period;
}

/** The lines of the tooltip. */
function Tip({ tree, node }: { tree: Tree; node: number }) {
  const p = state.scene.value!.picture, frame = tree.frame[node], mask = state.mask.value;
  const total = tree.totals(mask, "nsec"), samples = tree.totals(mask, "samples");
  const zoom = total[state.view.value.node] ? state.view.value.node : 0;
  const file = tree.strings[tree.frameFile[frame]], image = tree.strings[tree.frameImage[frame]];
  const c = state.shownTab.value === "diff" ? state.comparison.value : null;
  const d = c?.node(tree, node), split = p.split;
  const more = d?.noise && split
    ? secondsMore(d.z, split.z_least, (p.window.to_ns - p.window.from_ns) / 1e9) : 0;
  return (
    <>
      <b class="wrap">{tree.name(frame)}</b>
      <span class="faint">{[place(file, tree.frameLine[frame]), image].filter(Boolean).join(" · ")}
        {tree.line[node] ? ` · called at line ${tree.line[node]}` : ""}</span>
      <span>{duration(total[node])} ± {duration(spread(samples[node], p.period_ns))}
        <span class="faint"> ({count(samples[node])} samples)</span></span>
      <span>{percent(total[node], total[0])} of all{zoom
        ? `, ${percent(total[node], total[zoom])} of what is zoomed to` : ""}
        , itself {percent(tree.self(node, mask, "nsec"), total[0])}</span>
      {d && c && (
        <span>
          {state.sideWords.value.short} {duration(d.in)} a call, the rest {duration(d.rest)}:{" "}
          {c.blurred ? <span class="faint">which of them its samples fell in is not known</span>
            : d.noise ? <span class="faint">within noise{more ? `; about ${more} s more would tell` : ""}</span>
            : <b>{difference(d.extra)} ± {duration(d.error)}</b>}
        </span>
      )}
    </>
  );
}

function Legend() {
  void state.version.value;
  const p = palette(dark.value);
  const box = (colour: string) => <i style={{ background: colour }} />;
  if (state.shownTab.value === "diff")
    return (
      <span class="legend" title={`as wide as the time of ${state.sideWords.value.in}; each path by itself, the table has whole functions`}>
        {box(p.more[14])} more a call {box(p.less[14])} less {box(p.noise)} within noise
      </span>
    );
  return (
    <span class="legend">
      {HUES.map((h, i) => flame.hues[i] && <span key={h.name}>{box(p.plain[i * SHADES + 3])} {h.name} </span>)}
    </span>
  );
}

function Tabs() {
  const p = state.scene.value?.picture, split = p?.split, w = state.sideWords.value;
  const tabs: [state.Tab, string, number | null][] = [["all", "everything", p?.samples ?? 0]];
  if (state.span.value && split)
    tabs.push(["in", w.in, split.in.samples], ["rest", w.rest, split.rest.samples],
              ["open", "still open", split.open.samples], ["diff", "difference", null]);
  const none = (key: state.Tab) => key === "diff" && !state.comparison.value
    ? "there are not two sides to compare yet"
    : key === "open" && !split?.open.samples ? "no sample is in a call that has not ended" : "";
  return (
    <span class="segments" role="tablist">
      {tabs.map(([key, word, samples], i) => (
        <button key={key} role="tab" aria-selected={state.shownTab.value === key} aria-checked={state.shownTab.value === key}
                disabled={none(key) !== "" && state.shownTab.value !== key}
                title={none(key) || `key ${i + 1}${samples === null ? "" : `; ${count(samples)} samples`}`}
                onClick={() => (state.tab.value = key)}>
          {word}{samples !== null && key !== "open" && <span class="faint small"> {brief(samples)}</span>}
        </button>
      ))}
    </span>
  );
}

function Search() {
  const found = useComputed(() => {
    void state.version.value;
    const e = state.expression.value, tree = state.tree();
    if (!e || !tree.count) return null;
    const total = tree.totals(state.mask.value, "nsec"), node = state.view.value.node;
    const whole = total[node] ? node : 0;
    return percent(weighMatches(tree, matchFrames(tree, e), whole, total), total[whole]);
  });
  const wrong = useComputed(() => patternError(state.searched.value));
  return (
    <label class="search">
      <input id="search" type="search" placeholder="search  /" value={state.searched.value} spellcheck={false}
             aria-label="search functions by a regular expression"
             onInput={(e) => (state.searched.value = e.currentTarget.value)} />
      {wrong.value && <span class="warn" title={wrong.value}>not an expression</span>}
      {found.value && !wrong.value && <span class="found" title="of what is zoomed to, each stack counted once">{found.value}</span>}
    </label>
  );
}

/** What can be done with the selected frame. */
function Selected() {
  const node = state.selected.value, tree = state.tree();
  void state.version.value;
  if (node < 1 || node >= tree.count)
    return <p class="picked faint">Click a frame to zoom to it. <kbd>?</kbd> for keys</p>;
  const name = tree.nodeName(node), where = placeOf(tree.frame[node]), s = state.scene.value;
  const may = s?.live && !s.read_only && where && state.online.value;
  return (
    <p class="picked">
      <b class="name" title={name}>{name}</b>
      {may && <button disabled={busy.value !== null} onClick={() => void measureFrame(where)}
                      title="every call of it is a span from now on  p">{busy.value ?? "measure"}</button>}
      <button onClick={() => focus(node)} title="all its calls, from wherever, as one  f">focus</button>
      <button onClick={() => void navigator.clipboard?.writeText(name)}>copy name</button>
    </p>
  );
}

function Nothing() {
  const s = state.scene.value, t = state.shownTab.value;
  void state.version.value;
  if (!s || state.tree().totals(state.mask.value, "nsec")[0] > 0) return null;
  const text = !s.picture.samples
    ? s.live ? "No sample yet." : "There is no sample in this time."
    : t === "in" || t === "diff" ? "No sample fell into these calls yet."
    : t === "open" ? "No sample fell into calls that are still open." : "No sample fell into these calls.";
  return <p class="nothing faint">{text}</p>;
}

export function Graph() {
  const box = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null), tip = useRef<HTMLDivElement>(null);
  const pointed = useSignal<Pointed | null>(null);
  const deep = useSignal(0);

  useEffect(() => {
    const c = canvas.current!, o = over.current!, b = box.current!;
    let frame = 0;
    let seen = state.view.peek();
    const size = () => {
      const ratio = devicePixelRatio;
      flame.width = b.clientWidth;
      flame.height = b.clientHeight;
      for (const one of [c, o]) {
        one.width = Math.round(flame.width * ratio);
        one.height = Math.round(flame.height * ratio);
        one.getContext("2d")!.setTransform(ratio, 0, 0, ratio, 0, 0);
      }
    };
    const draw = (now: number) => {
      frame = 0;
      const began = performance.now();
      const tree = state.tree(), e = state.expression.peek();
      flame.tree = tree;
      flame.mask = state.mask.peek();
      if (state.view.peek() !== seen) {
        seen = state.view.peek();
        flame.go(seen, now, still.matches ? 0 : MOVE);
      }
      flame.scroll = b.scrollTop;
      flame.paint(c.getContext("2d", { alpha: false })!, {
        palette: palette(dark.peek()),
        comparison: state.shownTab.peek() === "diff" ? state.comparison.peek() : null,
        span: state.focused.peek() ? "" : state.span.peek()?.function ?? "",
        matched: e ? matchFrames(tree, e) : null,
      }, now);
      deep.value = flame.fullHeight;
      outline();
      timing.draw = performance.now() - began;
      timing.rects = flame.rects.count;
      if (flame.moves) later();
    };
    const later = () => {
      if (!frame) frame = requestAnimationFrame(draw);
    };
    const outline = () => {
      const ctx = o.getContext("2d")!;
      ctx.clearRect(0, 0, flame.width, flame.height);
      const p = palette(dark.peek());
      for (const [node, wide] of [[state.selected.peek(), 2], [pointed.peek()?.node ?? -1, 1]]) {
        const i = node >= 0 ? flame.find(node) : -1;
        if (i < 0) continue;
        ctx.strokeStyle = dark.peek() ? "#fff" : p.text;
        ctx.lineWidth = wide;
        const { x, width, row } = flame.rects;
        ctx.strokeRect(x[i] + 0.5, row[i] * ROW - flame.scroll + 0.5, Math.max(width[i] - 1.5, 1), ROW - 2);
      }
    };
    size();
    const stop = effect(() => {
      void [state.version.value, state.mask.value, state.view.value, state.focused.value,
            state.expression.value, state.shownTab.value, state.comparison.value, dark.value];
      later();
    });
    const stopOutline = effect(() => {
      void [state.selected.value, pointed.value];
      outline();
    });
    const resized = new ResizeObserver(() => {
      size();
      later();
    });
    resized.observe(b);
    b.addEventListener("scroll", later);
    return () => {
      stop();
      stopOutline();
      resized.disconnect();
      cancelAnimationFrame(frame);
    };
  }, []);

  const at = (e: MouseEvent): Pointed => {
    const r = box.current!.getBoundingClientRect();
    const x = e.clientX - r.left, y = e.clientY - r.top;
    return { node: flame.at(x, y), x, y };
  };
  const click = (e: MouseEvent) => {
    const { node } = at(e);
    if (node < 0) return;
    state.selected.value = node;
    state.view.value = { node, from: 0, to: 1 };
  };
  const wheel = (e: WheelEvent) => {
    const { x } = at(e);
    if (e.ctrlKey || e.metaKey) state.view.value = flame.zoomed(x, Math.exp(-e.deltaY / 200));
    else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
      state.view.value = flame.panned((e.deltaX || e.deltaY) / flame.width);
    else return;
    e.preventDefault();
  };
  useEffect(() => {
    const b = box.current!;
    b.addEventListener("wheel", wheel, { passive: false });
    return () => b.removeEventListener("wheel", wheel);
  }, []);

  const t = pointed.value;
  void state.version.value;
  const tree = state.tree();
  const showTip = t && t.node >= 0 && t.node < tree.count && state.scene.value;
  const right = t && box.current && t.x > box.current.clientWidth / 2;
  return (
    <section class="graph" aria-label="flame graph">
      <div class="caption">
        <Tabs />
        {state.focused.value && (
          <button class="chip on" onClick={unfocus} title="show all again  Esc">
            <span>only {state.tree().name(state.focused.value.frame)}</span> ×
          </button>
        )}
        <span class="fill" />
        <Search />
      </div>
      <div class="stage" ref={box} tabIndex={0} onMouseMove={(e) => (pointed.value = at(e))}
           onMouseLeave={() => (pointed.value = null)} onClick={click}
           onDblClick={() => (state.view.value = { node: 0, from: 0, to: 1 })}>
        <div class="tall" style={{ height: `${deep.value}px` }}>
          <div class="pinned">
            <canvas ref={canvas} role="img" aria-label="flame graph; the table beside it has the same in text" />
            <canvas ref={over} class="over" aria-hidden="true" />
            <Nothing />
          </div>
        </div>
        {showTip && (
          <div class="tip" ref={tip} style={{
            [right ? "right" : "left"]: `${right ? box.current!.clientWidth - t.x + 14 : t.x + 14}px`,
            top: `${Math.min(t.y + 16, (box.current?.clientHeight ?? 0) - 110) + (box.current?.scrollTop ?? 0)}px`,
          }}>
            <Tip tree={tree} node={t.node} />
          </div>
        )}
      </div>
      <div class="foot">
        <Selected />
        <Legend />
      </div>
    </section>
  );
}
