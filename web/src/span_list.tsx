import { busy, leave, openFinder } from "./actions.ts";
import { brief, count, duration, percent, place } from "./format.ts";
import type { Span } from "./scene.ts";
import { forgotten, online, probe, scene, span, spans } from "./state.ts";

function Card({ s }: { s: Span }) {
  const chosen = span.value?.probe === s.probe;
  const may = scene.value?.live && !scene.value.read_only && !s.removed && online.value;
  return (
    <li class={`span ${chosen ? "chosen" : ""} ${s.removed ? "removed" : ""}`}>
      <button class="card" aria-pressed={chosen} onClick={() => (probe.value = s.probe)}>
        <span class="name" title={s.place}>{s.place}</span>
        <span class="where faint">{s.removed ? "not measured any more" : place(s.file, s.line)}</span>
        <span class="numbers">
          <span title={`${count(s.calls)} calls`}>{brief(s.rate)}/s</span>
          <span title="half of the calls are quicker">p50 {duration(s.p50_ns)}</span>
          <span title="one in a hundred is slower">p99 {duration(s.p99_ns)}</span>
        </span>
        {!s.removed && s.cost_ns > 0 && (
          <span class="faint small" title={`what watching it takes from the target; ${count(s.open)} calls are open now`}>
            {duration(s.cost_ns)} a call, {percent((s.rate * s.cost_ns) / 1e9)} of a core
          </span>
        )}
      </button>
      {s.removed && !chosen && (
        <button class="remove" title="do not show it any more" aria-label={`do not show ${s.place} any more`}
                onClick={() => (forgotten.value = new Set([...forgotten.value, s.probe]))}>×</button>
      )}
      {may && (
        <button class="remove" title="measure it no more" aria-label={`measure ${s.place} no more`}
                onClick={() => void leave(s)}>×</button>
      )}
    </li>
  );
}

export function SpanList() {
  const s = scene.value;
  return (
    <aside class="spans">
      <h2>Measured functions</h2>
      <ul>{spans.value.filter((one) => !forgotten.value.has(one.probe)).map((one) => <Card key={one.probe} s={one} />)}</ul>
      {s && !spans.value.length && (
        <p class="hint">None yet. Measure a function, and its calls can be told apart by how
          long they take: click one in the graph, or search it by name.</p>
      )}
      {s?.live && !s.read_only && (
        <button class="add" disabled={busy.value !== null || !online.value} onClick={() => openFinder()}>
          {busy.value ?? "Measure a function"} {!busy.value && <kbd>Ctrl P</kbd>}
        </button>
      )}
    </aside>
  );
}
