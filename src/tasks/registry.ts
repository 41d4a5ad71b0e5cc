import { z } from 'zod';
import { PlaygroundError } from '../runtime/errors.ts';
import { DUO_ADDITION, duoAddition } from './addition.ts';
import { CODE, codeOptions, codeTask } from './code/code.ts';
import { COMPARISON, comparison, MAX_TERMS, MIN_TERMS } from './comparison.ts';
import { COUNTDOWN, countdown, MAX_NUMBERS, MIN_NUMBERS } from './countdown.ts';
import { customRewarded, type CustomReward } from './custom-reward.ts';
import { DATASET, dataset, datasetOptions } from './dataset/dataset.ts';
import { MAX_NOISE, RELAY, relay } from './relay.ts';
import { GOALS, MAX_LENGTH, MIN_LENGTH, REVERSING, reversing } from './reversing.ts';
import { SECRET, secretDigit } from './secret.ts';
import type { Task } from './types.ts';
import { weighted, type PartWeights } from './weights.ts';
import { MAX_SIZE, MAX_WALLS, MIN_SIZE, WALK, walk } from './walk.ts';
import { MAX_STEPS, MIN_STEPS, WORD_PROBLEMS, wordProblems } from './word-problems.ts';

interface TaskKind {
  /** Checks the options and builds the task. Throws a ZodError. */
  create(options: unknown): Task;
}

function kind<S extends z.ZodType>(options: S, build: (options: z.output<S>) => Task): TaskKind {
  return { create: (given) => build(options.parse(given ?? {})) };
}

/** Every task by name, with its options. */
const TASKS: Record<string, TaskKind> = {
  [DUO_ADDITION]: kind(z.strictObject({ digits: z.int().min(1).max(3).default(2) }), ({ digits }) => duoAddition(digits)),
  [SECRET]: kind(z.strictObject({}), () => secretDigit()),
  [REVERSING]: kind(
    z.strictObject({ length: z.int().min(MIN_LENGTH).max(MAX_LENGTH).default(4), goal: z.enum(GOALS).default('reverse') }),
    ({ length, goal }) => reversing(length, goal),
  ),
  [COMPARISON]: kind(z.strictObject({ terms: z.int().min(MIN_TERMS).max(MAX_TERMS).default(2) }), ({ terms }) => comparison(terms)),
  [COUNTDOWN]: kind(
    z.strictObject({ numbers: z.int().min(MIN_NUMBERS).max(MAX_NUMBERS).default(3), products: z.boolean().default(false) }),
    ({ numbers, products }) => countdown(numbers, products),
  ),
  [WALK]: kind(
    z.strictObject({ size: z.int().min(MIN_SIZE).max(MAX_SIZE).default(3), walls: z.int().min(0).max(MAX_WALLS).default(1) }),
    ({ size, walls }) => walk(size, walls),
  ),
  [RELAY]: kind(
    z.strictObject({ noise: z.int().min(0).max(MAX_NOISE).default(12), graderNoise: z.number().min(0).max(0.5).default(0.1) }),
    ({ noise, graderNoise }) => relay(noise, graderNoise),
  ),
  [WORD_PROBLEMS]: kind(z.strictObject({ steps: z.int().min(MIN_STEPS).max(MAX_STEPS).default(2) }), ({ steps }) => wordProblems(steps)),
  [DATASET]: kind(datasetOptions, dataset),
  [CODE]: kind(codeOptions, codeTask),
};

export const TASK_NAMES: readonly string[] = Object.keys(TASKS);

/** The task of that name, its reward made of these parts or given by that code. Throws a PlaygroundError for an unknown name, and for options or parts that the task does not have. */
export function taskByName(name: string, options: unknown = {}, weights: PartWeights = {}, reward?: CustomReward): Task {
  const found = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined;
  if (!found) throw new PlaygroundError('task-unknown', `There is no task named "${name}".`, `Choose one of: ${TASK_NAMES.join(', ')}.`);
  try {
    return customRewarded(weighted(found.create(options), weights), reward);
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause;
    throw new PlaygroundError('task-options', `The options of task "${name}" are not valid.`, z.prettifyError(cause), { cause });
  }
}
