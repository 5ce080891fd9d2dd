/** Functions: what differs most between the sides, or where the time is. */
import { signal, useComputed, useSignal } from "@preact/signals";
import { Comparison, secondsMore } from "./contrast.ts";
import { difference, duration, percent, place } from "./format.ts";
import { functionTimes, nested } from "./functions.ts";
import type { FunctionRow, Picture } from "./scene.ts";
import * as state from "./state.ts";
import type { Tree } from "./tree.ts";

const ROWS = 200;
const DEEP = 6; /** steps of indentation at most */
const BIG = 200000; /** nodes above which the times are not counted anew at each drawing */

/** Shows a function in the graph: its heaviest node. */
function showFrame(matches: (tree: Tree, frame: number) => boolean): void {
  const tree = state.tree(), total = tree.totals(state.mask.value, "nsec");
  const known = new Map<number, boolean>();
  let best = -1;
  for (let i = 1; i < tree.count; i++) {
    if (!(total[i] > (best < 0 ? 0 : total[best]))) continue;
    let does = known.get(tree.frame[i]);
    if (does === undefined) known.set(tree.frame[i], (does = matches(tree, tree.frame[i])));
    if (does) best = i;
  }
  if (best < 0) return;
  state.selected.value = best;
  state.view.value = { node: best, from: 0, to: 1 };
}

/** The same by its name alone. */
export const showNamed = (name: string): void => showFrame((t, frame) => t.name(frame) === name);

const showRow = (f: FunctionRow) =>
  showFrame((t, frame) => t.name(frame) === f.name && t.frameLine[frame] === f.line &&
                          t.strings[t.frameFile[frame]] === f.file);

function matchesSearch(name: string): boolean {
  return state.expression.value?.test(name) ?? true;
}

/** Rows that do not differ are shown when asked for. */
const noiseShown = signal(false);

function Differs({ p, c }: { p: Picture; c: Comparison }) {
  const split = p.split!, w = state.sideWords.value;
  const seconds = (p.window.to_ns - p.window.from_ns) / 1e9;
  const isNoise = (f: FunctionRow) => c.blurred || Math.abs(f.z) < split.z_least;
  const found = p.functions.filter((f) => matchesSearch(f.name));
  const alike = found.filter(isNoise).length, folded = !noiseShown.value && !state.searched.value;
  const rows = found.filter((f) => !folded || !isNoise(f)).slice(0, ROWS);
  const off = split.off_cpu_in_ns - split.off_cpu_rest_ns;
  const offNoise = c.blurred || !(Math.abs(split.off_cpu_z ?? 0) >= split.z_least);
  const extra = split.in.mean_ns - split.rest.mean_ns;
  const most = Math.max(c.most, offNoise || !split.unseen ? 0 : Math.abs(off), 1);
  return (
    <table>
      <thead>
        <tr><th>time a call in</th><th class="n">{w.short}</th><th class="n">rest</th>
          <th class="n more">more</th><th class="n part" title="of what these calls take more">share</th></tr>
      </thead>
      <tbody>
        {nested(rows).map(({ row: f, level }) => {
          const noise = isNoise(f);
          const more = noise ? secondsMore(f.z, split.z_least, seconds) : 0;
          const bar = noise ? 0 : Math.min(Math.abs(f.extra_ns) / most, 1);
          return (
            <tr key={`${f.name} ${f.file} ${f.line}`} class={noise ? "noise" : ""} onClick={() => showRow(f)}
                title={noise ? `within noise: ${difference(f.extra_ns)} ± ${duration(f.extra_error_ns)}` +
                  (more ? `; if it stays so, about ${more} s more would tell` : "") : f.name}>
              <td class="fn"><span style={{ paddingLeft: `${Math.min(level, DEEP) * 8}px` }}>{f.name}</span>
                <span class="faint small"> {place(f.file, f.line)}</span></td>
              <td class="n">{duration(f.per_call_in_ns)}</td>
              <td class="n">{duration(f.per_call_rest_ns)}</td>
              <td class="n more bar" style={{ "--bar": `${bar * 100}%` }} data-less={f.extra_ns < 0}>
                {noise ? <span class="faint">noise</span> : difference(f.extra_ns)}</td>
              <td class="n part">{noise || f.extra_ns < 0 ? "" : percent(f.extra_share)}</td>
            </tr>
          );
        })}
        {alike > 0 && !state.searched.value && (
          <tr class="sum fold"><td colSpan={5}>
            <button aria-expanded={!folded} onClick={() => (noiseShown.value = folded)}>
              {folded ? c.blurred ? `${alike} cannot be told apart`
                        : `${alike} more ${alike === 1 ? "is" : "are"} within noise` : `hide ${alike === 1 ? "the one" : `the ${alike}`} within noise`}</button>
          </td></tr>
        )}
        {split.unseen && <tr class={`sum ${offNoise ? "" : "real"}`}
            title={`the time of a call in which it was not sampled: ${difference(off)} ± ${duration(split.off_cpu_error_ns ?? 0)}`}>
          <td>{split.unseen}</td><td class="n">{duration(split.off_cpu_in_ns)}</td>
          <td class="n">{duration(split.off_cpu_rest_ns)}</td>
          <td class="n more bar" style={{ "--bar": `${offNoise ? 0 : Math.min(Math.abs(off) / most, 1) * 100}%` }} data-less={off < 0}>
            {offNoise ? <span class="faint">noise</span> : difference(off)}</td>
          <td class="n part">{extra > 0 && off > 0 && !offNoise ? percent(Math.min(off / extra, 1)) : ""}</td></tr>}
        {split.in.mean_ns > 0 && (
          <tr class="sum"><td>a whole call</td><td class="n">{duration(split.in.mean_ns)}</td>
            <td class="n">{duration(split.rest.mean_ns)}</td>
            <td class="n more">{difference(extra)}</td><td class="n part">100 %</td></tr>
        )}
      </tbody>
    </table>
  );
}

interface Times {
  tree: Tree;
  weight: number;
  mask: number;
  at: number;
  rows: ReturnType<typeof functionTimes>;
}
let last: Times | null = null;
/** Raised when they were counted. */
const counted = signal(0);
let counting = false;

/** Null: they are counted when the graph was drawn. */
function times(tree: Tree, mask: number): Times["rows"] | null {
  const now = performance.now(), big = tree.count > BIG;
  const same = last && last.tree === tree && last.mask === mask;
  void counted.value;
  if (same && (last!.weight === tree.weight || (big && now - last!.at < 2000))) return last!.rows;
  if (big && !same && !counting) {
    counting = true;
    requestAnimationFrame(() => setTimeout(() => {
      counting = false;
      count(tree, mask);
      counted.value++;
    }));
  }
  return big && !same ? null : count(tree, mask);
}

function count(tree: Tree, mask: number): Times["rows"] {
  last = { tree, weight: tree.weight, mask, at: performance.now(), rows: functionTimes(tree, mask) };
  return last.rows;
}

function Totals() {
  const bySelf = useSignal(true);
  const rows = useComputed(() => {
    void state.version.value;
    const tree = state.tree(), all = times(tree, state.mask.value), key = bySelf.value ? "self" : "total";
    return (all ?? []).filter((r) => r.frame !== tree.frame[0] && matchesSearch(tree.name(r.frame)))
      .sort((a, b) => b[key] - a[key] || a.frame - b.frame);
  });
  const tree = state.tree(), whole = tree.totals(state.mask.value, "nsec")[0];
  const shown = rows.value.slice(0, ROWS);
  const head = (word: string, self: boolean) => (
    <th class="n"><button aria-pressed={bySelf.value === self} onClick={() => (bySelf.value = self)}>
      {word}{bySelf.value === self ? " ↓" : ""}</button></th>
  );
  return (
    <table>
      <thead><tr><th>function</th>{head("itself", true)}{head("with callees", false)}</tr></thead>
      <tbody>
        {shown.map((r) => (
          <tr key={r.frame} title={tree.name(r.frame)} onClick={() => showFrame((_t, f) => f === r.frame)}>
            <td class="fn"><span>{tree.name(r.frame)}</span>
              <span class="faint small"> {place(tree.strings[tree.frameFile[r.frame]], tree.frameLine[r.frame])}</span></td>
            <td class="n bar plain" style={{ "--bar": `${(100 * r.self) / whole}%` }}>{percent(r.self, whole)}</td>
            <td class="n bar plain" style={{ "--bar": `${(100 * r.total) / whole}%` }}>{percent(r.total, whole)}</td>
          </tr>
        ))}
        {rows.value.length > ROWS && (
          <tr class="sum"><td colSpan={3}>{rows.value.length - ROWS} more have less; search them</td></tr>
        )}
      </tbody>
    </table>
  );
}

export function Table() {
  void state.version.value;
  const p = state.scene.value?.picture, c = state.comparison.value;
  return (
    <section class="table" aria-label="functions">
      {p && state.shownTab.value === "diff" && c ? <Differs p={p} c={c} /> : p && <Totals />}
    </section>
  );
}
