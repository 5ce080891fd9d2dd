/** Where a function is named that is to be measured. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { busy, find, measure } from "./actions.ts";
import { percent, place } from "./format.ts";
import { countWords, type Found, type FoundRow, howWords, mayMeasure, mostOf, nearNames, NOTHING, priceWords,
         programFirst, shares } from "./found.ts";
import * as state from "./state.ts";
import { ALL_SIDES } from "./tree.ts";

const FIRST = 30; /** names with much time that are asked for before others */

/** Asks for what is written, one at a time: the newest text is the one that is answered. */
class Asker {
  private running: Promise<void> | null = null;
  private wanted = "";
  private answered: string | null = null;

  constructor(private readonly took: (found: Found, error: string) => void) {}

  /** Ends when what is wanted now was answered. */
  async ask(text: string): Promise<void> {
    this.wanted = text;
    if (!this.running && this.answered === text) return;
    this.running ??= this.run().finally(() => (this.running = null));
    await this.running;
  }

  private async run(): Promise<void> {
    for (this.answered = null; this.answered !== this.wanted; ) {
      const asked = (this.answered = this.wanted);
      const names = shares(state.tree(), ALL_SIDES);
      try {
        const found = await find(asked, mostOf(names, asked, FIRST));
        if (!asked.trim()) found.rows = programFirst(found.rows);
        this.took(found, "");
      } catch (e) {
        this.took(NOTHING, (e as Error).message);
      }
    }
  }
}

function Row({ row, at, share, take }: { row: FoundRow; at: boolean; share: number; take: () => void }) {
  const self = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => { if (at) self.current?.scrollIntoView({ block: "nearest" }); }, [at]);
  const known = state.spans.value.some((s) => s.place === row.place && !s.removed);
  return (
    <li ref={self} class={`${at ? "at" : ""} ${mayMeasure(row) ? "" : "cannot"}`}>
      <button onClick={take} title={`${row.name}\n${howWords(row)}`}>
        <span class="name">{row.name}</span>
        <span class="faint where">{place(row.file, row.line)}</span>
        <span class={`price ${row.price === "stepped" ? "dear" : ""}`}>{known ? "measured" : priceWords(row)}</span>
        <span class="share" title="of all CPU time, with what it calls">{share ? percent(share) : ""}</span>
      </button>
    </li>
  );
}

function Box() {
  const text = useSignal(state.finderText.value), at = useSignal(0), input = useRef<HTMLInputElement>(null);
  const found = useSignal<Found>(NOTHING), error = useSignal(""), asker = useRef<Asker | null>(null);
  asker.current ??= new Asker((f, e) => {
    found.value = f;
    error.value = e;
    at.value = f.rows.length && !f.pattern ? 0 : -1;
  });
  useLayoutEffect(() => {
    input.current?.select();
    void asker.current!.ask(text.value);
  }, []);
  void state.version.value;
  const names = shares(state.tree(), ALL_SIDES), rows = found.value.rows;
  const take = async (place: string | undefined) => {
    if (place && (await measure(place))) state.finderShown.value = false;
  };
  const write = (value: string) => {
    text.value = value;
    state.notice.value = null;
    void asker.current!.ask(value);
  };
  const enter = async () => {
    await asker.current!.ask(text.value); // not what an older text found
    void take(found.value.rows[at.value]?.place ?? text.value.trim());
  };
  const key = (e: KeyboardEvent) => {
    if (e.key === "ArrowDown") at.value = Math.min(at.value + 1, rows.length - 1);
    else if (e.key === "ArrowUp") at.value = Math.max(at.value - 1, -1);
    else if (e.key === "Enter") void enter();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const chosen = rows[at.value];
  const problem = state.notice.value?.error ? state.notice.value.text : error.value;
  return (
    <div class="veil" onClick={() => (state.finderShown.value = false)}>
      <div class="sheet finder" role="dialog" aria-label="measure a function" onClick={(e) => e.stopPropagation()}>
        <input ref={input} value={text.value} spellcheck={false} aria-label="function to measure"
               placeholder="parts of its name, library:name, Class::*, /regex/"
               onKeyDown={key} onInput={(e) => write(e.currentTarget.value)} />
        {problem && <p class="error">{problem}</p>}
        {problem && nearNames(problem).length > 0 && (
          <p class="near">{nearNames(problem).map((name) => (
            <button key={name} onClick={() => { write(name); input.current?.focus(); }}>{name}</button>))}</p>)}
        <ul>
          {rows.map((r, i) => <Row key={`${r.image} ${r.place}`} row={r} at={i === at.value}
                                   share={names.get(r.function) ?? 0} take={() => void take(r.place)} />)}
        </ul>
        <p class="faint small how">{busy.value ?? (chosen ? howWords(chosen)
          : text.value.trim() ? "Enter measures what is written." : "Functions of the program and its libraries.")}</p>
        <p class="faint small">{text.value.trim() ? countWords(found.value) : "These had the most time: write to find others."}</p>
      </div>
    </div>
  );
}

export function Finder() {
  return state.finderShown.value ? <Box /> : null;
}
