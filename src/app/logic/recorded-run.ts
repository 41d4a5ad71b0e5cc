/** A whole run in one JSON document: what the page shows before training, and what it lets people download. */
import { z } from 'zod';
import { parseExperiment, type Experiment } from '../../experiment/schema.ts';
import type { EpisodeRecord, MetricRow } from '../../marft/records.ts';
import { taskByName } from '../../tasks/registry.ts';
import type { KeptIteration } from './kept-iterations.ts';

export interface RecordedRun {
  experiment: Experiment;
  metrics: MetricRow[];
  episodes: EpisodeRecord[];
  /** Reward of blind guessing in the experiment's task. */
  chance: number;
}

/** Enough rows for any run worth showing; more would only be drawn on top of each other. */
const MAX_ROWS = 100_000;

const finite = z.number();
const orNull = finite.nullable();

const tokenSchema = z.object({
  id: z.int(),
  text: z.string(),
  logprob: finite,
  newLogprob: orNull,
  ratio: orNull,
  entropy: finite,
  refKl: finite,
  value: finite,
  advantage: finite,
  reward: finite,
  delta: finite,
});

const episodeSchema = z.object({
  iteration: z.int().min(0),
  episode: z.int().min(0),
  question: z.string(),
  privateQuestions: z.record(z.string(), z.string()),
  expected: z.string(),
  reward: finite,
  rewardParts: z.record(z.string(), finite),
  utterances: z.array(
    z.object({ agent: z.string(), prompt: z.string(), text: z.string(), truncated: z.boolean(), tokens: z.array(tokenSchema) }),
  ),
});

const metricRowSchema = z.intersection(z.object({ iteration: z.int().min(0) }), z.record(z.string(), finite));

const runSchema = z.object({
  experiment: z.unknown(),
  metrics: z.array(metricRowSchema).max(MAX_ROWS),
  episodes: z.array(episodeSchema),
});

/** Checks a document from a file. Throws a ZodError or a PlaygroundError when it is not a run. */
export function parseRecordedRun(document: unknown): RecordedRun {
  const { experiment, metrics, episodes } = runSchema.parse(document);
  const parsed = parseExperiment(experiment);
  return { experiment: parsed, metrics, episodes, chance: taskByName(parsed.task.name, parsed.task.options, parsed.task.weights, parsed.task.reward).chance };
}

/** The recorded run at this address, or null where there is none that can be read: the page then starts empty. */
export async function fetchRecordedRun(url: string): Promise<RecordedRun | null> {
  try {
    const response = await fetch(url);
    return response.ok ? parseRecordedRun(await response.json()) : null;
  } catch {
    return null;
  }
}

/** The same document, to be downloaded. */
export function runDocument(
  experiment: Experiment,
  metrics: readonly MetricRow[],
  kept: readonly KeptIteration[],
): string {
  return JSON.stringify({ experiment, metrics, episodes: kept.flatMap(({ episodes }) => episodes) });
}
