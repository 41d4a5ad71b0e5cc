/** What a link may carry beside the experiment: the results of a run, what its agents learned, and a task for a class. Every bound stands here. */
import { z } from 'zod';

z.config({ jitless: true });

/** Points of a shared curve. */
export const MAX_POINTS = 100;
const MAX_ITERATION = 1_000_000;
const MAX_AGENTS = 16;
const MAX_PATHS = 60;
export const MAX_TASK_TEXT = 2000;

const iteration = z.int().min(0).max(MAX_ITERATION);
const figure = z.number().min(-1e6).max(1e6);
const path = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/, 'a path');

/** Results of a run: iterations and rewards pick points out of the curve, without averaging, so that they can be compared exactly. */
export const resultsSchema = z
  .strictObject({
    /** The backend that made them. */
    b: z.enum(['cpu', 'wasm', 'webgpu']),
    /** Iterations of the run. */
    n: z.int().min(1).max(MAX_ITERATION),
    x: z.array(iteration).min(1).max(MAX_POINTS),
    y: z.array(figure).min(1).max(MAX_POINTS),
    /** Evaluations on held-out problems: iteration, sampled, greedy. */
    h: z.array(z.tuple([iteration, figure, figure])).max(MAX_POINTS).default([]),
    /** A digest of all figures of all iterations. */
    f: z.string().regex(/^[0-9a-f]{16}$/, 'a digest'),
  })
  .refine(({ x, y, n }) => x.length === y.length && x.every((at, k) => at <= n && (k === 0 || at > (x[k - 1] ?? at))), 'a curve');

/** Adapters by the agents' names: PEFT's configuration, and the safetensors file in base64. */
export const adaptersSchema = z
  .record(z.string().regex(/^[a-z][a-z0-9-]{0,23}$/, 'an agent'), z.strictObject({ c: z.string().max(4000), w: z.base64().min(4).max(8 * 1024 * 1024) }))
  .refine((adapters) => Object.keys(adapters).length <= MAX_AGENTS, 'at most 16 agents');

/** Parts of the page that a teacher can take away. */
export const HIDEABLE = ['presets', 'seed', 'iterations', 'steps', 'team', 'model', 'adapters', 'transcripts', 'runs', 'lessons'] as const;
export type Hideable = (typeof HIDEABLE)[number];

export const teachingSchema = z.strictObject({
  /** What is to be done. */
  k: z.string().max(MAX_TASK_TEXT).default(''),
  /** Parts of the page that are hidden. */
  h: z.array(z.enum(HIDEABLE)).max(HIDEABLE.length).default([]),
  /** Fields that cannot be changed, by path; a path locks all below it. */
  l: z.array(path).max(MAX_PATHS).default([]),
  /** Where there are any, only these fields can be changed. */
  o: z.array(path).max(MAX_PATHS).default([]),
  /** A reward to reach: in training or on held-out problems. */
  g: z.strictObject({ m: z.enum(['training', 'heldOut']), v: z.number().min(0).max(1) }).optional(),
});

export type SharedResults = z.output<typeof resultsSchema>;
export type SharedAdapters = z.output<typeof adaptersSchema>;
export type Teaching = z.output<typeof teachingSchema>;

/** What a link carries beside its experiment. */
export interface LinkParts {
  results?: SharedResults;
  adapters?: SharedAdapters;
  teaching?: Teaching;
}
