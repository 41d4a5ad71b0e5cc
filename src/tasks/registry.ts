import { z } from 'zod';
import { PlaygroundError } from '../runtime/errors.ts';
import { DUO_ADDITION, duoAddition } from './addition.ts';
import { DATASET, dataset, datasetOptions } from './dataset/dataset.ts';
import { SECRET, secretDigit } from './secret.ts';
import type { Task } from './types.ts';
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
  [WORD_PROBLEMS]: kind(z.strictObject({ steps: z.int().min(MIN_STEPS).max(MAX_STEPS).default(2) }), ({ steps }) => wordProblems(steps)),
  [DATASET]: kind(datasetOptions, dataset),
};

export const TASK_NAMES: readonly string[] = Object.keys(TASKS);

/** The task of that name. Throws a PlaygroundError for an unknown name or options that the task does not have. */
export function taskByName(name: string, options: unknown = {}): Task {
  const found = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined;
  if (!found) throw new PlaygroundError('task-unknown', `There is no task named "${name}".`, `Choose one of: ${TASK_NAMES.join(', ')}.`);
  try {
    return found.create(options);
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause;
    throw new PlaygroundError('task-options', `The options of task "${name}" are not valid.`, z.prettifyError(cause), { cause });
  }
}
