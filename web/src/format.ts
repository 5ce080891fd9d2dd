/** Numbers as people read them; the same as the command line writes. */

const DASH = "–";

function three(value: number): string {
  const size = Math.abs(value);
  return size >= 99.95 ? value.toFixed(0) : size >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

/** A duration with three digits and its unit. */
export function duration(ns: number): string {
  const size = Math.abs(ns);
  if (size === 0) return "0";
  if (size < 999.5) return `${ns.toFixed(0)} ns`;
  if (size < 999.5e3) return `${three(ns / 1e3)} µs`;
  if (size < 999.5e6) return `${three(ns / 1e6)} ms`;
  if (size < 119.5e9) return `${three(ns / 1e9)} s`;
  if (size < 7170e9) return `${three(ns / 60e9)} min`;
  return `${three(ns / 3600e9)} h`;
}

/** A difference: always with a sign. */
export function difference(ns: number): string {
  return ns > 0 ? `+${duration(ns)}` : duration(ns).replace("-", "−");
}

export function count(n: number): string {
  return Math.round(n).toLocaleString("en-US");
}

/** A count where there is little room: 12.4 k. */
export function brief(n: number): string {
  if (n < 999.5) return n >= 9.95 || Number.isInteger(n) ? n.toFixed(0) : n.toFixed(1);
  if (n < 999.5e3) return `${three(n / 1e3)} k`;
  return `${three(n / 1e6)} M`;
}

export function percent(part: number, whole = 1): string {
  if (!whole) return DASH;
  const p = (100 * part) / whole, size = Math.abs(p);
  if (size < 0.005) return size === 0 ? "0 %" : "<0.01 %";
  const digits = size < 0.095 ? 2 : size < 9.95 ? 1 : 0;
  return `${p.toFixed(digits).replace("-", "−")} %`;
}

/** As an expression takes it: a duration that is read as exactly this one again. */
export function exact(ns: number): string {
  const n = Math.max(0, Math.round(ns));
  if (n && n % 1e9 === 0) return `${n / 1e9}s`;
  if (n && n % 1e6 === 0) return `${n / 1e6}ms`;
  if (n && n % 1e3 === 0) return `${n / 1e3}us`;
  return `${n}ns`;
}

/** A duration as expressions have it; NaN: it is none. */
export function nanoseconds(text: string): number {
  const m = /^(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|min)?$/.exec(text);
  const units: Record<string, number> = { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9, min: 60e9 };
  return m ? Number(m[1]) * (m[2] ? units[m[2]] : 1) : NaN;
}

/** To as many digits as a hand on a scale means. */
export function rounded(ns: number, digits = 3): number {
  if (ns <= 0) return 0;
  const step = 10 ** (Math.floor(Math.log10(ns)) - digits + 1);
  return Math.max(1, Math.round(ns / step) * step);
}

export function place(file: string, line: number): string {
  if (!file) return "";
  const base = file.slice(file.lastIndexOf("/") + 1);
  return line ? `${base}:${line}` : base;
}
