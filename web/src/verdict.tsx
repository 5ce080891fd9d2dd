/** The sentence that answers the question, and what is still missing for one. */
import { duration } from "./format.ts";
import { bound, boundOf, failure, isAnswered, scene, sideWords, span } from "./state.ts";

function sentence(): { text: string; faint: boolean } | null {
  const p = scene.value?.picture, s = span.value, split = p?.split;
  if (failure.value) return { text: failure.value, faint: false };
  if (!p || !s || !split) return null;
  if (!s.calls) return { text: `${s.place} was not called yet.`, faint: true };
  if (!s.returned) return { text: `No call of ${s.place} has ended yet.`, faint: true };
  if (split.verdict) return { text: split.verdict.text.trim(), faint: false };
  if (!split.in.calls)
    return { text: `No call is ${sideWords.value.short} yet.`, faint: true };
  if (!split.rest.calls) return { text: "All calls are chosen: there is no rest to compare with.", faint: true };
  return null;
}

/** An expression that the sentence proposes can be clicked, where it is one of durations. */
function sentences(text: string) {
  return text.split(/(?:--split )?('[^']*')/).map((part, i) => {
    const to = i % 2 ? boundOf(part.slice(1, -1)) : null;
    return to ? <button key={i} title={`compare these: ${part}`} onClick={() => (bound.value = to)}>{part.slice(1, -1).replace(/^.*\.dur /, "dur ")}</button>
              : part;
  });
}

export function Verdict() {
  const s = sentence();
  if (!s) return null;
  const open = span.value?.open ?? 0, p99 = span.value?.p99_ns ?? 0;
  const waiting = scene.value?.picture.split?.open.samples ?? 0;
  return (
    <p class={`verdict ${s.faint ? "faint" : ""} ${isAnswered.value ? "" : "old"}`} role="status">
      {sentences(s.text.replace(/\s+/g, " "))}
      {open > 0 && waiting > 0 && (
        <span class="faint"> {open === 1 ? "One call is" : `${open} calls are`} still open
          {p99 ? ` (p99 is ${duration(p99)})` : ""}.</span>
      )}
    </p>
  );
}
