/** Histograms on a logarithmic axis: a fixed number of columns of equal width. */

export interface Bins {
  edges: Float64Array; /** ns, one more than there are bins */
  calls: Float64Array;
}

const OCTAVE_MOST = 16; /** bins an octave */

/**
 * Calls are spread evenly over the time that their bucket stands for, unless that makes parts
 * of a call of them.
 */
export function bin(histogram: [number, number, number][], most: number): Bins | null {
  if (!histogram.length) return null;
  const low = Math.max(1, histogram[0][0]), high = Math.max(low * 1.1, histogram.at(-1)![1]);
  const octaves = Math.log2(high / low);
  const n = Math.max(8, Math.min(most, Math.ceil(octaves * OCTAVE_MOST)));
  const step = octaves / n;
  const edges = Float64Array.from({ length: n + 1 }, (_, i) => low * 2 ** (i * step));
  const calls = new Float64Array(n);
  const at = (ns: number) => Math.min(n - 1, Math.max(0, Math.floor(Math.log2(ns / low) / step)));
  for (const [from, to, count] of histogram) {
    const first = at(Math.max(from, low)), last = at(Math.max(to, low));
    if (first === last || to <= from) {
      calls[first] += count;
      continue;
    }
    if (count < 2 * (last - first + 1)) {
      calls[at(Math.max((from + to) / 2, low))] += count;
      continue;
    }
    for (let i = first; i <= last; i++) {
      const part = Math.min(to, edges[i + 1]) - Math.max(from, edges[i]);
      if (part > 0) calls[i] += (count * part) / (to - from);
    }
  }
  return { edges, calls };
}

/** How many calls last from low to high. */
export function callsBetween(histogram: [number, number, number][], low: number,
                             high: number): number {
  let sum = 0;
  for (const [from, to, count] of histogram) {
    if (to <= from) sum += from >= low && from <= high ? count : 0;
    else sum += (count * Math.max(0, Math.min(to, high) - Math.max(from, low))) / (to - from);
  }
  return sum;
}
