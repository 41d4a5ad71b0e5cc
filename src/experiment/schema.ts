/**
 * The experiment: one JSON document that the page, a link, a stored run and the command line all share. Every bound of it
 * stands in this schema or in the two that it embeds.
 */
import { z } from 'zod';
import { PRECISION_SETTINGS } from '../engine/precision.ts';
import { createGame } from '../marft/game.ts';
import { refuseBrokenGroups } from '../marft/methods.ts';
import { algorithmSchema, teamSchema } from '../marft/settings.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { MAX_REWARD_CODE } from '../tasks/custom-reward.ts';
import { taskByName } from '../tasks/registry.ts';
import { modelSchema } from './model.ts';
import { describeIssue, findForbiddenKey } from './refusal.ts';

// Zod would compile validators with `new Function`, which the page's content-security policy forbids.
z.config({ jitless: true });

/** The version of the document that this program reads and writes. */
export const EXPERIMENT_VERSION = 1;

export const scheduleSchema = z.strictObject({
  iterations: z.int().min(1).max(100_000).default(40),
  /** Episodes of one iteration, all generated in one batch. */
  episodes: z.int().min(1).max(1024).default(32),
  /** Evaluate before the first iteration, after every so many and after the last; 0: never while training. */
  evalEvery: z.int().min(0).max(100_000).default(10),
  /** Held-out problems of these evaluations. */
  evalProblems: z.int().min(1).max(4096).default(64),
  /** Held-out problems of the verdict on a whole run: the base model before it, the trained team after it. */
  finalEvalProblems: z.int().min(1).max(4096).default(256),
});

export const experimentSchema = z.strictObject({
  version: z.literal(EXPERIMENT_VERSION),
  /** For people: the title of a run and the name of its folder. */
  name: z.string().min(1).max(80),
  task: z.strictObject({
    name: z.string().min(1).max(80),
    /** Options of that task; the task itself says which there are. */
    options: z
      .record(
        z.string().regex(/^[a-zA-Z][a-zA-Z0-9]{0,39}$/, 'letters and digits, at most 40'),
        z.union([z.number(), z.boolean(), z.string().max(1000)]),
      )
      .default({}),
    /** How much each part of the task's verdicts counts, by the part's name, the sum kept within [0, 1]; absent: the task's own reward. */
    weights: z.record(z.string().regex(/^[a-z][a-zA-Z0-9_-]{0,39}$/, 'a part of the task\'s reward'), z.number().min(-10).max(10)).optional(),
    /** A reward in the user's own words: JavaScript with a function `reward`, in place of the task's own; absent: none. */
    reward: z.strictObject({ code: z.string().min(1).max(MAX_REWARD_CODE) }).optional(),
  }),
  team: teamSchema,
  model: modelSchema.default('marft-tiny'),
  /** How the frozen base is held: f16 halves its memory, 4-bit takes its projections to less than a sixth; auto is f16 on a GPU that has it, else f32. */
  modelPrecision: z.enum(PRECISION_SETTINGS).default('auto'),
  algorithm: algorithmSchema.prefault({}),
  /** Decides the problems, every sampled token and the adapters' first values. */
  seed: z.int().min(0).max(2 ** 31 - 1).default(1),
  schedule: scheduleSchema.prefault({}),
});

export type Schedule = z.output<typeof scheduleSchema>;
export type Experiment = z.output<typeof experimentSchema>;

/**
 * The experiment that a document from anywhere describes, defaults filled in. Throws a PlaygroundError whose message is a
 * sentence naming the first field that is wrong: also for a task that does not exist and a team that cannot be played.
 */
export function parseExperiment(document: unknown): Experiment {
  const forbidden = findForbiddenKey(document);
  if (forbidden !== null) {
    throw new PlaygroundError('experiment-invalid', `The field ${forbidden} is not allowed in an experiment.`, 'Remove it.');
  }
  refuseOtherVersions(document);
  const parsed = experimentSchema.safeParse(document);
  if (!parsed.success) {
    const { message, hint } = describeIssue(parsed.error.issues, document, experimentSchema);
    throw new PlaygroundError('experiment-invalid', message, hint, { cause: parsed.error });
  }
  refuseUnusableTask(parsed.data, document);
  createGame(parsed.data.team);
  refuseBrokenGroups(parsed.data.algorithm, parsed.data.schedule.episodes);
  return parsed.data;
}

/** Lets the task check its own options, and says what it refuses as if the experiment's schema had. */
function refuseUnusableTask({ task }: Experiment, document: unknown): void {
  try {
    taskByName(task.name, task.options, task.weights, task.reward);
  } catch (error) {
    if (!(error instanceof PlaygroundError) || !(error.cause instanceof z.ZodError)) throw error;
    const issues = error.cause.issues.map((issue) => ({ ...issue, path: ['task', 'options', ...issue.path] }));
    const { message, hint } = describeIssue(issues, document, experimentSchema);
    throw new PlaygroundError(error.code, message, hint, { cause: error.cause });
  }
}

function refuseOtherVersions(document: unknown): void {
  if (typeof document !== 'object' || document === null || !('version' in document)) return;
  const { version } = document;
  if (typeof version !== 'number' || version === EXPERIMENT_VERSION) return;
  throw new PlaygroundError(
    'experiment-version',
    `The experiment is written in version ${version} of the format; this program reads version ${EXPERIMENT_VERSION}.`,
    version > EXPERIMENT_VERSION ? 'Open it with a newer release of the playground.' : `Set "version" to ${EXPERIMENT_VERSION} and correct what is then refused.`,
  );
}
