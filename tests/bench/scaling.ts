/** How time and memory grow with batch, length, layers and agents; Node's CPU, one thread, random weights of marft-tiny's shape. */
import type { LoraPolicy, QwenModel } from '../../src/engine/model.ts';
import { createNodeBackend } from '../../src/runtime/node.ts';
import type { Bench, BenchTable } from './bench.ts';
import { benchConfig, randomModel } from './random-model.ts';
import { spread, spreadCell, takeTurns } from './timing.ts';
import { ADAPTER, generateAll, randomBatch, trainingStep } from './workload.ts';

const BATCHES = [1, 2, 4, 8, 16, 32, 64];
const LENGTHS = [32, 64, 128, 256, 512];
const LAYERS = [1, 2, 4, 8];
const AGENTS = [1, 2, 4, 8];
/** Rows and tokens a row where they are not what varies. */
const ROWS = 8;
const LENGTH = 64;

/** One point of an axis: what is run there. */
interface Point {
  model: QwenModel;
  /** Bytes on the device before there was an agent. */
  baseBytes: number;
  agents: LoraPolicy[];
  rows: number;
  length: number;
}

export const SCALING_BENCH: Bench = {
  name: 'scaling',
  summary: 'Cost as batch, length, layers and agents grow (Node CPU).',
  async run({ repetitions }) {
    const tables: BenchTable[] = [];
    const each = (values: readonly number[], pointOf: (value: number) => Promise<Point>): Promise<Map<number, Point>> =>
      Promise.all(values.map(async (value) => [value, await pointOf(value)] as const)).then((points) => new Map(points));
    const point = async (change: Partial<Point>, config: Record<string, unknown> = {}, agents = 1): Promise<Point> => {
      const model = await randomModel(createNodeBackend(), benchConfig(config));
      const baseBytes = model.deviceBytes();
      const policies = await Promise.all(Array.from({ length: agents }, (_, agent) => model.createPolicy(ADAPTER, agent)));
      return { model, baseBytes, agents: policies, rows: ROWS, length: LENGTH, ...change };
    };
    tables.push(await measure('Batch', 'rows', await each(BATCHES, (rows) => point({ rows })), repetitions));
    tables.push(await measure('Length', 'tokens a row', await each(LENGTHS, (length) => point({ length })), repetitions));
    tables.push(await measure('Layers', 'layers', await each(LAYERS, (layers) => point({}, { num_hidden_layers: layers })), repetitions));
    tables.push(await measure('Agents', 'agents', await each(AGENTS, (count) => point({}, {}, count)), repetitions));
    return tables;
  },
};

/** Times every point by turns, and sets each against the first: 1 where time is in proportion to the axis. */
async function measure(title: string, axis: string, points: Map<number, Point>, repetitions: number): Promise<BenchTable> {
  const timed = (work: (point: Point) => Promise<void>): Promise<Record<string, number[]>> =>
    takeTurns(Object.fromEntries([...points].map(([value, one]) => [value, () => work(one)])), repetitions);
  const generating = await timed(async ({ model, agents, rows, length }) => {
    for (const agent of agents) await generateAll(agent, randomBatch(model, rows, length), length / 2);
  });
  const training = await timed(async ({ model, agents, rows, length }) => {
    for (const agent of agents) await trainingStep(agent, randomBatch(model, rows, length));
  });
  const [first = 1] = points.keys();
  const linear = (times: Record<string, number[]>, value: number): number =>
    spread(times[value] ?? []).median / spread(times[first] ?? []).median / (value / first);
  const rows = [...points].map(([value, { model, baseBytes, agents }]) => ({
    [axis]: value,
    'generate, ms': spreadCell(spread(generating[value] ?? [])),
    'generate, of linear': linear(generating, value),
    'update, ms': spreadCell(spread(training[value] ?? [])),
    'update, of linear': linear(training, value),
    'base, MB': baseBytes / 1e6,
    'an agent, MB': (model.deviceBytes() - baseBytes) / agents.length / 1e6,
  }));
  for (const { model, agents } of points.values()) {
    for (const agent of agents) agent.dispose();
    model.dispose();
  }
  return {
    title: `${title}: median (quartiles)`,
    rows,
    notes: [
      `Each agent generates or learns from the same number of tokens: ${ROWS} rows of ${LENGTH} tokens, half of them generated, unless the axis says otherwise.`,
      '"Of linear" is the time over what the first row predicts in proportion; below 1, more costs less than in proportion.',
      'An agent holds its adapter and two moments; one copy of the base serves all.',
    ],
  };
}
