/** How long calls take, and the hand that says which of them are meant. */
import { effect, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { bin, callsBetween, type Bins } from "./bins.ts";
import { brief, count, duration, percent, rounded } from "./format.ts";
import { dark } from "./scheme.ts";
import { bound, comparison, isAnswered, online, scene, span, tab, type Bound } from "./state.ts";
import type { Span } from "./scene.ts";

const GRIP = 6; /** px around an edge that take hold of it */
const FONT = '11px system-ui, "DejaVu Sans", sans-serif';
const PERCENTILES: [string, keyof Span][] = [
  ["p50", "p50_ns"], ["p90", "p90_ns"], ["p95", "p95_ns"], ["p99", "p99_ns"], ["p99.9", "p999_ns"],
];

function rangeOf(b: Bound, s: Span): [number, number] {
  if (b.kind === "between") return [b.low, b.high];
  if (b.kind === "above") return [b.low, Infinity];
  const row = PERCENTILES.find(([name]) => name === b.name);
  return [row ? (s[row[1]] as number) : s.p95_ns, Infinity];
}

function ticks(low: number, high: number): number[] {
  const made: number[] = [], wide = high / low > 1e5;
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10)
    for (const m of wide ? [1] : [1, 2, 5]) {
      const v = power * m;
      if (v >= low && v <= high) made.push(v);
    }
  return made;
}

/** At the axis: no more digits than there are. */
function whole(text: string): string {
  return text.replace(/(\.\d*?)0+ /, (_all, kept: string) => (kept === "." ? " " : `${kept} `));
}

interface Colours {
  rest: string;
  chosen: string;
  axis: string;
  grid: string;
  wash: string;
}

function colours(): Colours {
  return dark.value
    ? { rest: "#5d6675", chosen: "#ee7a5e", axis: "#9aa2ad", grid: "#2a2e35", wash: "rgba(238,122,94,.10)" }
    : { rest: "#b9c2cd", chosen: "#e0593d", axis: "#5a5f66", grid: "#eceef0", wash: "rgba(224,89,61,.08)" };
}

/** The uPlot chart of one span; its range follows what was seen. */
class Chart {
  private readonly plot: uPlot;
  private bins: Bins | null = null;
  private range: [number, number] = [0, 0];
  private drag: { edge: "low" | "high" | "new"; from: number } | null = null;

  constructor(private readonly box: HTMLElement, private readonly log: { value: boolean },
              private readonly choose: (b: Bound) => void) {
    const c = () => colours();
    const bars = uPlot.paths.bars!({ size: [1, Infinity], align: 1, gap: 0.5 });
    this.plot = new uPlot({
      width: 600, height: 150,
      padding: [16, 8, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, distr: 3, range: () => this.extent() },
        y: { distr: 100, range: (_u, _min, max) => [0, Math.max(max ?? 1, 1) * 1.06],
             fwd: (v: number) => (this.log.value ? Math.log10(1 + v) : v),
             bwd: (v: number) => (this.log.value ? 10 ** v - 1 : v) },
      },
      axes: [
        { stroke: () => c().axis, grid: { show: false }, ticks: { stroke: () => c().grid, size: 4 },
          size: 26, font: FONT,
          splits: (_u, _i, min, max) => ticks(min, max), filter: (_u, splits) => splits,
          values: (_u, splits) => splits.map((ns) => whole(duration(ns))), space: 46 },
        { stroke: () => c().axis, grid: { stroke: () => c().grid, width: 1 }, ticks: { show: false },
          size: 48, font: FONT,
          splits: (_u, _i, _min, max) => this.steps(max), filter: (_u, splits) => splits,
          values: (_u, splits) => splits.map((n) => whole(brief(n))) },
      ],
      series: [
        {},
        { paths: bars, points: { show: false }, fill: () => c().rest, stroke: () => c().rest, width: 0 },
        { paths: bars, points: { show: false }, fill: () => c().chosen, stroke: () => c().chosen, width: 0 },
      ],
      hooks: { drawClear: [(u) => this.wash(u)], draw: [(u) => this.marks(u)] },
    } as uPlot.Options, [[1, 2], [0, 0], [0, 0]], box);
    const over = this.plot.over;
    over.addEventListener("pointerdown", (e) => this.down(e));
    over.addEventListener("pointermove", (e) => this.move(e));
    over.addEventListener("pointerup", (e) => this.up(e));
  }

  destroy(): void {
    this.plot.destroy();
  }

  private extent(): [number, number] {
    const e = this.bins?.edges;
    return e ? [e[0], e[e.length - 1]] : [1, 10];
  }

  private steps(max: number): number[] {
    if (!this.log.value) {
      const step = 10 ** Math.floor(Math.log10(Math.max(max / 2, 1)));
      const by = max / step > 6 ? step * 2 : step;
      return Array.from({ length: Math.floor(max / by) + 1 }, (_, i) => i * by);
    }
    const made = [0];
    for (let v = max > 100 ? 10 : 1; v <= max; v *= 10) made.push(v);
    return made;
  }

  update(s: Span, b: Bound): void {
    const width = Math.max(this.box.clientWidth, 100), height = Math.max(this.box.clientHeight, 80);
    this.bins = bin(s.histogram, Math.floor(width / 4));
    this.range = rangeOf(b, s);
    if (this.plot.width !== width || this.plot.height !== height) this.plot.setSize({ width, height });
    if (!this.bins) {
      this.plot.setData([[1, 2], [0, 0], [0, 0]]);
      return;
    }
    const { edges, calls } = this.bins, [low, high] = this.range;
    const chosen = Array.from(calls, (n, i) => {
      const middle = Math.sqrt(edges[i] * edges[i + 1]);
      return middle >= low && middle <= high ? n : 0;
    });
    this.plot.setData([Array.from(edges.subarray(0, -1)), Array.from(calls), chosen]);
  }

  /** What is chosen, behind the bars. */
  private wash(u: uPlot): void {
    const { ctx, bbox } = u, [low, high] = this.range;
    if (!this.bins) return;
    const x = Math.max(u.valToPos(Math.max(low, 1), "x", true), bbox.left);
    const end = Number.isFinite(high) ? Math.min(u.valToPos(high, "x", true), bbox.left + bbox.width)
                                      : bbox.left + bbox.width;
    if (end <= x) return;
    ctx.save();
    ctx.fillStyle = colours().wash;
    ctx.fillRect(x, bbox.top, end - x, bbox.height);
    ctx.restore();
  }

  private marks(u: uPlot): void {
    const { ctx, bbox } = u, s = span.peek(), c = colours(), ratio = devicePixelRatio;
    if (!this.bins || !s) return;
    ctx.save();
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = "alphabetic";
    ctx.textAlign = "left";
    const taken: [number, number][] = [], b = bound.peek();
    const chosen = b.kind === "percentile" ? b.name : "p95";
    // where there is no room for all names, that which is chosen has it, and then the usual ones
    const order = [chosen, "p50", "p99", "p95", "p90", "p99.9"];
    const rows = [...PERCENTILES].sort((x, y) => order.indexOf(x[0]) - order.indexOf(y[0]));
    for (const [name, key] of rows) {
      const ns = s[key] as number, x = u.valToPos(Math.max(ns, 1), "x", true);
      if (!ns || x < bbox.left || x > bbox.left + bbox.width) continue;
      const wide = ctx.measureText(name).width, from = Math.max(x - wide / 2, bbox.left + 2 * ratio);
      const end = from + wide + 6 * ratio;
      if (taken.some(([low, high]) => from < high && end > low)) continue;
      taken.push([from, end]);
      ctx.strokeStyle = c.axis;
      ctx.globalAlpha = 0.45;
      ctx.lineWidth = ratio;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.globalAlpha = 1;
      ctx.fillStyle = c.axis;
      ctx.fillText(name, from, bbox.top - 4 * ratio);
    }
    ctx.strokeStyle = c.chosen;
    ctx.lineWidth = 2 * ratio;
    for (const edge of this.range) {
      const x = u.valToPos(Math.max(edge, 1), "x", true);
      if (!Number.isFinite(edge) || x < bbox.left - 1 || x > bbox.left + bbox.width + 1) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  // ---- the hand ----

  private edgeAt(x: number): "low" | "high" | null {
    const near = (ns: number) => Number.isFinite(ns) && ns > 0 &&
      Math.abs(this.plot.valToPos(ns, "x") - x) <= GRIP;
    return near(this.range[0]) ? "low" : near(this.range[1]) ? "high" : null;
  }

  /** The bar under the pointer, and what can be done with it. */
  private describe(e: PointerEvent): string {
    if (!this.bins) return "";
    const { edges, calls } = this.bins, ns = this.plot.posToVal(e.offsetX, "x");
    const i = edges.findIndex((edge, k) => edge <= ns && ns < edges[k + 1]);
    const bar = i < 0 ? "" : `${duration(edges[i])} to ${duration(edges[i + 1])}: ${brief(calls[i])} calls\n`;
    return `${bar}drag: these durations; click: from here on`;
  }

  private value(e: PointerEvent): number {
    const x = Math.min(Math.max(e.offsetX, 0), this.plot.over.clientWidth);
    return rounded(this.plot.posToVal(x, "x"));
  }

  private down(e: PointerEvent): void {
    if (e.button || !this.bins || !online.peek()) return;
    this.plot.over.setPointerCapture(e.pointerId);
    this.drag = { edge: this.edgeAt(e.offsetX) ?? "new", from: e.offsetX };
    e.preventDefault();
  }

  private move(e: PointerEvent): void {
    if (!this.drag) {
      this.plot.over.style.cursor = !online.peek() ? "default" : this.edgeAt(e.offsetX) ? "ew-resize" : "crosshair";
      this.plot.over.title = this.describe(e);
      return;
    }
    const v = this.value(e), [low, high] = this.range;
    if (this.drag.edge === "new") {
      if (Math.abs(e.offsetX - this.drag.from) < 3) return;
      const a = rounded(this.plot.posToVal(this.drag.from, "x"));
      this.set(Math.min(a, v), Math.max(a, v));
    } else if (this.drag.edge === "low") {
      this.set(Math.min(v, high), high);
    } else {
      this.set(low, Math.max(v, low));
    }
  }

  /** A click without a drag: from here on. */
  private up(e: PointerEvent): void {
    if (this.drag?.edge === "new" && Math.abs(e.offsetX - this.drag.from) < 3)
      this.set(this.value(e), Infinity);
    this.drag = null;
  }

  /** What reaches the end of the axis has no upper bound. */
  private set(low: number, high: number): void {
    const end = this.extent()[1];
    this.choose(high >= end * 0.999 ? { kind: "above", low } : { kind: "between", low, high });
  }
}

function choose(b: Bound): void {
  bound.value = b;
  if (tab.value === "all") tab.value = "diff";
}

function Presets({ s }: { s: Span }) {
  const b = bound.value;
  const is = (o: Bound) => JSON.stringify(o) === JSON.stringify(b);
  const chip = (text: string, title: string, o: Bound) => (
    <button key={text} class="chip" aria-pressed={is(o)} title={title} disabled={!online.value} onClick={() => choose(o)}>
      {text}
    </button>
  );
  const kinds = s.modes.length > 1 ? s.modes : [];
  return (
    <span class="presets">
      {["p50", "p95", "p99"].map((name) => chip(`> ${name}`, "slower than this percentile",
                                                { kind: "percentile", name }))}
      {kinds.map((m, i) => {
        const low = i ? Math.round(kinds[i - 1].until_ns) : 0;
        const o: Bound = i === kinds.length - 1 ? { kind: "above", low }
                                                : { kind: "between", low, high: Math.round(m.until_ns) };
        return chip(`around ${duration(m.at_ns)} · ${percent(m.share)}`,
                    `a kind of calls: ${low ? `from ${duration(low)}` : "up"}${i < kinds.length - 1 ? ` to ${duration(m.until_ns)}` : " on"}, most of them around ${duration(m.at_ns)}`, o);
      })}
    </span>
  );
}

/** What is chosen, in words. */
function Chosen({ s }: { s: Span }) {
  const split = scene.value?.picture.split, [low, high] = rangeOf(bound.value, s);
  if (!s.returned) return <span class="faint">no call has ended yet</span>;
  // until there is an answer, only what the histogram itself says
  const told = isAnswered.value && comparison.value ? split : null;
  const calls = told?.in.calls_exact ? told.in.calls : callsBetween(s.histogram, low, high);
  const probed = s.probed_ns ? `durations are without the ${duration(s.probed_ns)} a call that probes took` : undefined;
  return (
    <span class="sum-up" title={probed}>
      <b class="chosen-text">{count(calls)}</b> call{Math.round(calls) === 1 ? "" : "s"} {Number.isFinite(high)
        ? `of ${duration(low)} to ${duration(high)}` : `slower than ${duration(low)}`}
      <span class="faint">
        {told?.in.mean_ns ? `, on average ${duration(told.in.mean_ns)} (the rest ${duration(told.rest.mean_ns)})` : ""}
        , {percent(calls, s.returned)} of {count(s.returned)}
      </span>
    </span>
  );
}

export function Histogram() {
  const box = useRef<HTMLDivElement>(null);
  const log = useSignal(true);
  useEffect(() => {
    if (!box.current) return;
    const chart = new Chart(box.current, log, choose);
    const draw = () => {
      const s = span.value;
      void dark.value;
      void log.value;
      if (s) chart.update(s, bound.value);
    };
    const stop = effect(draw);
    const resized = new ResizeObserver(() => span.peek() && chart.update(span.peek()!, bound.peek()));
    resized.observe(box.current);
    return () => {
      stop();
      resized.disconnect();
      chart.destroy();
    };
  }, []);
  const s = span.value;
  return (
    <section class="histogram" aria-label="durations of calls">
      <div class="caption">
        {s && <Chosen s={s} />}
        <span class="fill" />
        {s && <Presets s={s} />}
        <button class="chip" aria-pressed={log.value} title="a scale on which few calls can be seen beside many"
                onClick={() => (log.value = !log.value)}>log</button>
      </div>
      <div class="plot" ref={box} />
    </section>
  );
}
