/** What can be said of a model before its weights are there: whether it can be trained, and what that takes. */
import { predictMemory, planMemory, type MemoryTable } from '../engine/planner.ts';
import { precisionOn } from '../engine/precision.ts';
import { parseQwenConfig, type QwenConfig } from '../qwen/config.ts';
import type { Backend } from '../runtime/backend.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { taskByName } from '../tasks/registry.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { memoryRequest } from './memory-request.ts';
import type { Experiment } from './schema.ts';

export interface MemoryReport {
  shape: QwenConfig;
  /** What the run takes with as much at once as fits; with one sequence at a time where nothing fits. */
  table: MemoryTable;
  /** Sequences at once. */
  rows: number;
  /** Why it cannot be run; null when it can. */
  refusal: { message: string; hint: string } | null;
}

/** What the planner has to know of the backend. */
export type Device = Pick<Backend, 'kind' | 'halfPrecision' | 'limits'>;

/** How the planner's errors are called. */
const TOO_LARGE = ['model-too-large', 'device-limit'];

/**
 * `config` is the content of `config.json`. Lengths are those of `tokenizer`, which may be another model's while the model's own is not there.
 * `budget` is in bytes. Throws a PlaygroundError for an architecture
 * (`model-unsupported`) or a precision (`no-half-precision`) that cannot be trained.
 */
export function reportMemory(experiment: Experiment, config: unknown, tokenizer: ChatTokenizer, device: Device, budget: number): MemoryReport {
  const shape = parseQwenConfig(config, precisionOn(device, experiment.modelPrecision));
  const request = memoryRequest(experiment, shape, taskByName(experiment.task.name, experiment.task.options), tokenizer, device.kind);
  try {
    const { table, rows } = planMemory(request, { total: Math.min(budget, device.limits.total), tensor: device.limits.tensor });
    return { shape, table, rows, refusal: null };
  } catch (error) {
    if (!(error instanceof PlaygroundError) || !TOO_LARGE.includes(error.code)) throw error;
    const { message, hint } = error;
    return { shape, table: predictMemory(request, { tokensAtOnce: 1, headBytes: 1 }), rows: 1, refusal: { message, hint } };
  }
}
