import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { pause } from "./actions.ts";
import { brief, count, percent } from "./format.ts";
import type { Link } from "./link.ts";
import type { Picture, Scene } from "./scene.ts";
import { EWMA_HALF, online, pausedAt, scene, timeWindow, version, type TimeWindow } from "./state.ts";

const WINDOWS: [TimeWindow, string, string][] = [
  ["10s", "10 s", "the last ten seconds"],
  ["1min", "1 min", "the last minute"],
  ["ewma", "decay", `what is ${EWMA_HALF} old counts half, and so on`],
  ["all", "all", "all that was gathered"],
];

function Target({ p }: { p: Picture }) {
  const t = p.target;
  return (
    <span class="target">
      <b>{t.comm}</b> <span class="faint">{t.pid}</span>
      <span class="faint"> on {t.host}{t.processes > 1 ? ` · ${t.processes} processes` : ""}
        {" "}· {t.threads} thread{t.threads === 1 ? "" : "s"}</span>
    </span>
  );
}

function State({ s, link }: { s: Scene; link: Link }) {
  const state = link.state.value;
  const [word, kind, title] =
    state !== "open" ? ["connection lost", "bad", "sonde has ended, or cannot be reached; the page tries again by itself"]
    : pausedAt.value !== null ? ["paused", "still", "what is shown stands still; sonde goes on gathering"]
    : s.recording ? ["recording", "still", "a file; nothing is added to it"]
    : s.live ? ["live", "live", `${s.picture.hz} samples a second of each running thread`]
    : ["target ended", "still", "everything that was gathered is kept until sonde ends"];
  return <span class={`state ${kind}`} role="status" title={title}>{word}</span>;
}

/** What sonde itself takes of a core, over the last seconds. */
function useOwnCpu(): number | null {
  const share = useSignal<number | null>(null);
  useEffect(() => {
    let at = 0, cpu = 0;
    return version.subscribe(() => {
      const s = scene.peek(), now = performance.now();
      if (!s || s.recording || (at && now - at < 2000)) return;
      if (at && s.cpu_ns >= cpu) share.value = (s.cpu_ns - cpu) / 1e6 / (now - at);
      at = now;
      cpu = s.cpu_ns;
    });
  }, []);
  return share.value;
}

function Honest({ p }: { p: Picture }) {
  const own = useOwnCpu(), l = p.losses;
  const lost = (l.ring ?? 0) + (l.throttled ?? 0) + (l.forgotten ?? 0);
  const cut = (l.stacks_truncated ?? 0) + (l.stacks_unreadable ?? 0);
  const priced = p.spans.reduce((sum, s) => sum + (s.removed ? 0 : s.rate * s.cost_ns), 0) / 1e9;
  const sampled = (l.probe_low_ns ?? 0) / Math.max(1, p.window.to_ns - p.window.from_ns);
  const probes = Math.max(priced, sampled);
  const item = (text: string, title: string, bad: boolean) =>
    <span class={bad ? "warn" : ""} title={title}>{text}</span>;
  return (
    <span class="honest">
      {item(`${brief(p.samples)} samples`, `${count(p.samples)} samples are in what is shown`, false)}
      {item(`${brief(lost)} lost`, "what the kernel took and sonde has not, or has forgotten", lost > 0)}
      {item(`${percent(cut, l.stacks || p.samples)} cut`,
            "stacks that did not reach their thread's start", cut > 0.02 * p.samples)}
      {item(`${percent(l.frames_unresolved ?? 0, l.frames || 1)} unnamed`,
            "frames without a name", (l.frames_unresolved ?? 0) > 0.05 * (l.frames || 1))}
      {item(`probes ${percent(probes)}`, "what the probes take from the target, of one core; more than 2 % is worth a thought (--budget)",
            probes > 0.02)}
      {own !== null && item(`sonde ${percent(own)}`, "what sonde itself takes, of one core", own > 0.1)}
    </span>
  );
}

export function TopBar({ link }: { link: Link }) {
  const s = scene.value;
  return (
    <header class="top">
      <span class="mark">sonde</span>
      {s && <Target p={s.picture} />}
      {s && <State s={s} link={link} />}
      {s && (
        <span class="segments" role="radiogroup" aria-label="which time">
          {WINDOWS.map(([key, word, title]) => (
            <button key={key} role="radio" aria-checked={timeWindow.value === key} title={title} disabled={!online.value}
                    onClick={() => (timeWindow.value = key)}>{word}</button>
          ))}
        </span>
      )}
      {s?.live && (
        <button class="quiet" onClick={pause} title="Space" disabled={!online.value}>
          {pausedAt.value === null ? "pause" : "go on"}
        </button>
      )}
      <span class="fill" />
      {s && <Honest p={s.picture} />}
    </header>
  );
}
