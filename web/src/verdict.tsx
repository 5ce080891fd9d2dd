/** The sentence that answers the question, and what is still missing for one. */
import { literal } from "./search.ts";
import { bound, boundOf, failure, isAnswered, online, scene, sideWords, span } from "./state.ts";
import { showNamed } from "./table.tsx";

interface Sentence {
  text: string;
  faint: boolean;
  names?: string[];
}

function sentence(): Sentence | null {
  const p = scene.value?.picture, s = span.value, split = p?.split;
  if (!online.value)
    return { text: "sonde does not answer: it has ended, or cannot be reached. What is shown is what it said last.", faint: false };
  if (failure.value) return { text: failure.value, faint: false };
  if (!p || !s || !split) return null;
  if (!s.calls) return { text: `${s.place} was not called yet.`, faint: true };
  if (!s.returned) return { text: `No call of ${s.place} has ended yet.`, faint: true };
  if (split.verdict) return { text: split.verdict.text.trim(), faint: false, names: split.verdict.causes };
  if (!split.in.calls)
    return { text: `No call is ${sideWords.value.short} yet.`, faint: true };
  if (!split.rest.calls) return { text: "All calls are chosen: there is no rest to compare with.", faint: true };
  return null;
}

/** Causes can be clicked, to be seen in the graph. */
function causes(text: string, names: string[]) {
  const named = names.filter(Boolean).sort((a, b) => b.length - a.length);
  if (!named.length) return text;
  return text.split(new RegExp(`(?<![\\w:~])(${named.map(literal).join("|")})(?![\\w:~])`)).map((part, i) =>
    i % 2 ? <button key={i} class="cause" title="show it in the graph" onClick={() => showNamed(part)}>{part}</button>
          : part);
}

/** An expression that the sentence proposes can be clicked, where it is one of durations. */
function sentences(text: string, names: string[]) {
  return text.split(/(?:--split )?('[^']*')/).map((part, i) => {
    if (i % 2 === 0) return causes(part, names);
    const to = boundOf(part.slice(1, -1));
    return to ? <button key={i} title={`compare these: ${part}`} onClick={() => (bound.value = to)}>{part.slice(1, -1).replace(/^.*\.dur /, "dur ")}</button>
              : part;
  });
}

export function Verdict() {
  const s = sentence();
  if (!s) return null;
  return (
    <p class={`verdict ${s.faint ? "faint" : ""} ${isAnswered.value || !online.value ? "" : "old"}`} role="status">
      {sentences(s.text.replace(/\s+/g, " "), s.names ?? [])}
    </p>
  );
}
