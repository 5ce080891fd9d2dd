/** Where a function is named that is to be measured. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { busy, measure } from "./actions.ts";
import { percent } from "./format.ts";
import { functionTimes } from "./functions.ts";
import * as state from "./state.ts";
import { FrameKind } from "./tree.ts";

/** Functions that were sampled and match, those with the most time first. */
function sampled(text: string): { name: string; share: number }[] {
  const tree = state.tree(), mask = state.mask.value, whole = tree.totals(mask, "nsec")[0];
  const lower = text.toLowerCase(), names = new Map<string, number>();
  for (const r of functionTimes(tree, mask)) {
    const kind = tree.frameKind[r.frame], name = tree.name(r.frame);
    if (kind !== FrameKind.User && kind !== FrameKind.Inlined) continue;
    if (name.toLowerCase().includes(lower)) names.set(name, Math.max(names.get(name) ?? 0, r.total));
  }
  return [...names].sort((a, b) => b[1] - a[1]).slice(0, 12)
    .map(([name, total]) => ({ name, share: total / whole }));
}

function Box() {
  const text = useSignal(""), at = useSignal(-1), input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  void state.version.value;
  const rows = sampled(text.value);
  const take = async (place: string) => {
    if (place && (await measure(place))) state.finderShown.value = false;
  };
  const key = (e: KeyboardEvent) => {
    if (e.key === "ArrowDown") at.value = Math.min(at.value + 1, rows.length - 1);
    else if (e.key === "ArrowUp") at.value = Math.max(at.value - 1, -1);
    else if (e.key === "Enter") void take(rows[at.value]?.name ?? text.value.trim());
    else return;
    e.preventDefault();
  };
  return (
    <div class="veil" onClick={() => (state.finderShown.value = false)}>
      <div class="sheet" role="dialog" aria-label="measure a function" onClick={(e) => e.stopPropagation()}>
        <input ref={input} value={text.value} spellcheck={false} placeholder="function, image:function, Class::*"
               aria-label="function to measure" onKeyDown={key}
               onInput={(e) => { text.value = e.currentTarget.value; at.value = -1; }} />
        <ul>
          {rows.map((r, i) => (
            <li key={r.name} class={i === at.value ? "at" : ""}>
              <button onClick={() => void take(r.name)}><span class="name">{r.name}</span>
                <span class="faint">{percent(r.share)}</span></button>
            </li>
          ))}
        </ul>
        <p class="faint small">{busy.value ?? "Enter measures what is written; functions below were sampled."}</p>
        {state.notice.value?.error && <p class="error">{state.notice.value.text}</p>}
      </div>
    </div>
  );
}

export function Finder() {
  return state.finderShown.value ? <Box /> : null;
}
