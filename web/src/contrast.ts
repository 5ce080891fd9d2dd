/**
 * What a slow call spends in a node more than the rest do, and how sure that is.
 *
 * As src/view/compare.h: extra time a call is the weight on one side over that side's calls,
 * minus the same of the other; its error that of as many samples taken as Poisson, widened as
 * that of the node's function is, which knows the spread between calls.
 */
import type { FunctionRow, Picture } from "./scene.ts";
import { SIDE_IN, SIDE_REST, Tree } from "./tree.ts";

export interface Contrast {
  in: number;
  rest: number;
  extra: number;
  error: number; /** half of the 95 % interval of extra */
  z: number;
  noise: boolean;
}

const Z95 = 1.96;

function variance(nsec: number, samples: number, calls: number): number {
  const each = samples ? nsec / samples / calls : 0;
  return each * each * samples;
}

interface Columns {
  tree: Tree;
  weight: number;
  inNsec: Float64Array;
  restNsec: Float64Array;
  inSamples: Float64Array;
  restSamples: Float64Array;
}

export class Comparison {
  readonly callsIn: number;
  readonly callsRest: number;
  readonly most: number; /** the largest extra time that is no noise */
  readonly blurred: boolean; /** which calls samples fell in is not known: nothing is told apart */
  private readonly rows = new Map<string, { f: FunctionRow; wide: number }[]>(); /* by name */
  private readonly usual: number;
  private frames: { tree: Tree; count: number; widen: Float64Array } | null = null;
  private readonly zLeast: number;
  private columns: Columns | null = null;

  private constructor(p: Picture) {
    const split = p.split!;
    this.callsIn = split.in.calls;
    this.callsRest = split.rest.calls;
    this.blurred = split.verdict?.kind === "blurred";
    this.zLeast = this.blurred ? Infinity : split.z_least;
    let sampled = 0, usual = 1, most = 0;
    for (const f of p.functions) {
      const wide = this.widenOf(f);
      const same = this.rows.get(f.name);
      if (same) same.push({ f, wide });
      else this.rows.set(f.name, [{ f, wide }]);
      if (f.samples_in + f.samples_rest > sampled) {
        sampled = f.samples_in + f.samples_rest;
        usual = wide;
      }
      if (Math.abs(f.z) >= this.zLeast) most = Math.max(most, Math.abs(f.extra_ns));
    }
    this.usual = usual;
    this.most = most;
  }

  /** Null where there are not two sides to compare. */
  static of(p: Picture): Comparison | null {
    return p.split && p.split.expr && p.split.in.calls && p.split.rest.calls
      ? new Comparison(p) : null;
  }

  private widenOf(f: FunctionRow): number {
    const error = Z95 * Math.sqrt(variance(f.total_in_ns, f.samples_in, this.callsIn) +
                                  variance(f.total_rest_ns, f.samples_rest, this.callsRest));
    return error > 0 ? Math.max(f.extra_error_ns / error, 1) : 1;
  }

  /** By frame: how much wider its error is than samples alone would make it. */
  private widenFrames(tree: Tree): Float64Array {
    if (this.frames?.tree === tree && this.frames.count === tree.frameCount)
      return this.frames.widen;
    const widen = new Float64Array(tree.frameCount).fill(this.usual);
    for (let i = 0; i < tree.frameCount; i++) {
      const row = this.rows.get(tree.name(i))?.find(
        ({ f }) => f.line === tree.frameLine[i] && f.file === tree.strings[tree.frameFile[i]]);
      if (row) widen[i] = row.wide;
    }
    this.frames = { tree, count: tree.frameCount, widen };
    return widen;
  }

  private columnsOf(tree: Tree): Columns {
    if (this.columns?.tree === tree && this.columns.weight === tree.weight) return this.columns;
    this.columns = {
      tree, weight: tree.weight,
      inNsec: tree.totals(1 << SIDE_IN, "nsec"), restNsec: tree.totals(1 << SIDE_REST, "nsec"),
      inSamples: tree.totals(1 << SIDE_IN, "samples"), restSamples: tree.totals(1 << SIDE_REST, "samples"),
    };
    return this.columns;
  }

  node(tree: Tree, node: number): Contrast {
    const wide = this.widenFrames(tree)[tree.frame[node]], c = this.columnsOf(tree);
    const inNsec = c.inNsec[node], restNsec = c.restNsec[node];
    const error = wide * Math.sqrt(variance(inNsec, c.inSamples[node], this.callsIn) +
                                   variance(restNsec, c.restSamples[node], this.callsRest));
    const each = inNsec / this.callsIn, other = restNsec / this.callsRest;
    const z = error > 0 ? (each - other) / error : 0;
    return { in: each, rest: other, extra: each - other, error: Z95 * error, z,
             noise: Math.abs(z) < this.zLeast };
  }
}

/**
 * By how much longer it has to be watched until a difference that is as it seems is no noise
 * any more: z grows with the root of time.  0: it would take too long to be worth saying.
 */
export function secondsMore(z: number, zLeast: number, seconds: number): number {
  const times = (zLeast / Math.abs(z)) ** 2 - 1;
  return times > 0 && times < 20 && seconds > 0 ? Math.ceil(times * seconds) : 0;
}
