import { render } from "preact";
import { actBy } from "./actions.ts";
import { Finder } from "./finder.tsx";
import { functionTimes } from "./functions.ts";
import { flame, Graph, timing } from "./graph.tsx";
import { Histogram } from "./histogram.tsx";
import { KEYS, listen } from "./keys.ts";
import { Link } from "./link.ts";
import { SpanList } from "./span_list.tsx";
import * as state from "./state.ts";
import { Table } from "./table.tsx";
import { TopBar } from "./top_bar.tsx";
import { Verdict } from "./verdict.tsx";

const token = new URLSearchParams(location.hash.slice(1)).get("t") ?? "";
const link = new Link(location.host, token);

function Help() {
  if (!state.helpShown.value) return null;
  return (
    <div class="veil" onClick={() => (state.helpShown.value = false)}>
      <div class="sheet" role="dialog" aria-label="keys">
        <dl>{KEYS.map(([key, what]) => [<dt key={key}><kbd>{key}</kbd></dt>, <dd key={what}>{what}</dd>])}</dl>
      </div>
    </div>
  );
}

function Notice() {
  const n = state.notice.value;
  if (!n || (n.error && state.finderShown.value)) return null;
  return <p class={`notice ${n.error ? "error" : ""}`} role="alert" onClick={() => (state.notice.value = null)}>{n.text}</p>;
}

function Waiting() {
  const s = link.state.value;
  const text = s === "refused"
    ? "This address has no token, or that of another sonde: open the address that sonde printed."
    : s === "lost" ? "sonde does not answer. It may have ended; this page tries again by itself."
    : "Waiting for the first samples …";
  return <main class="waiting"><p>{text}</p></main>;
}

function Page() {
  const s = state.scene.value;
  if (!s || link.state.value === "refused") return <Waiting />;
  return (
    <>
      <TopBar link={link} />
      <main>
        <SpanList />
        <div class="middle">
          {state.span.value && <Histogram />}
          <Verdict />
          <div class={`both ${state.isAnswered.value && state.online.value ? "" : "old"}`}><Graph /><Table /></div>
        </div>
      </main>
      <Finder />
      <Help />
      <Notice />
    </>
  );
}

link.state.subscribe((s) => (state.online.value = s === "open"));
link.onOpen = () => {
  state.forget();
  link.hidden(document.hidden);
};
link.onDrawing = (message) => {
  const seq = state.take(message);
  // what is drawn is said to be; in a hidden tab nothing would be
  requestAnimationFrame(() => link.drawn(seq));
};
link.onFailed = (sentence) => (state.failure.value = sentence);
document.addEventListener("visibilitychange", () => link.hidden(document.hidden));
addEventListener("hashchange", () => location.reload());

actBy(link);
listen();
state.keepAsking(link);
link.connect();
render(<Page />, document.body);

// for tests: what is shown, and how long it took
Object.assign(window, { sonde: { state, timing, link, flame, functionTimes } });
