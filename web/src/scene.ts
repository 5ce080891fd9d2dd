/** What is shown beside the tree: the JSON of a drawing, as `sonde report --json` has it. */

export interface Span {
  probe: number;
  removed?: boolean;
  place: string;
  function: string;
  file: string;
  line: number;
  exit: string;
  calls: number;
  returned: number;
  open: number;
  ended: Record<string, number>;
  rate: number;
  mean_ns: number;
  p50_ns: number;
  p90_ns: number;
  p95_ns: number;
  p99_ns: number;
  p999_ns: number;
  max_ns: number;
  probed_ns?: number;
  unsure_ns?: number;
  cost_ns: number;
  modes: { at_ns: number; until_ns: number; share: number }[];
  histogram: [low: number, high: number, calls: number][];
}

export interface SideSums {
  calls: number;
  calls_exact: boolean;
  samples: number;
  weight_ns: number;
  mean_ns: number;
}

export interface Verdict {
  kind: string;
  causes: string[];
  text: string;
}

export interface Split {
  expr: string;
  span: number;
  threshold_ns: number;
  blur: number;
  in: SideSums;
  rest: SideSums;
  open: SideSums;
  out: SideSums;
  before: SideSums;
  unseen: string | null; /** what a call's time is called that has no samples; null: it has */
  off_cpu_in_ns: number;
  off_cpu_rest_ns: number;
  off_cpu_z?: number;
  off_cpu_error_ns?: number;
  z_least: number;
  verdict?: Verdict;
}

export interface FunctionRow {
  name: string;
  image: string;
  file: string;
  line: number;
  self_ns: number;
  total_ns: number;
  self_in_ns: number;
  self_rest_ns: number;
  total_in_ns: number;
  total_rest_ns: number;
  samples_in: number;
  samples_rest: number;
  per_call_in_ns: number;
  per_call_rest_ns: number;
  extra_ns: number;
  extra_share: number;
  extra_error_ns: number;
  z: number;
  beyond_ns: number;
  depth: number;
  caller?: string;
}

export interface Picture {
  target: { pid: number; comm: string; host: string; processes: number; threads: number };
  window: { from_ns: number; to_ns: number; wall_ns: number };
  hz: number;
  period_ns: number;
  samples: number;
  losses: Record<string, number>;
  spans: Span[];
  split: Split | null;
  functions: FunctionRow[];
}

export interface Scene {
  live: boolean;
  recording: boolean;
  read_only: boolean;
  cpu_ns: number;
  picture: Picture;
}

/** What a picture is asked for; absent is everything. */
export interface Question {
  split?: string;
  last?: string;
  ewma?: string;
  until?: number;
}

/** A place as it stands in an expression. */
export function quotePlace(place: string): string {
  return /^[A-Za-z_][\w:@$+\-=/.]*$/.test(place)
    ? place : '"' + place.replace(/["\\]/g, "\\$&") + '"';
}
