/** What holding the base in less memory costs in time: the same work in f32, f16 and 4 bits by turns, on Node's CPU build and on WASM. */
import { PRECISIONS, type Precision } from '../../src/qwen/config.ts';
import type { LoraPolicy, QwenModel } from '../../src/engine/model.ts';
import type { Backend } from '../../src/runtime/backend.ts';
import { createNodeBackend } from '../../src/runtime/node.ts';
import type { Bench, BenchTable } from './bench.ts';
import { benchConfig, randomModel } from './random-model.ts';
import { ratios, spread, spreadCell, takeTurns } from './timing.ts';
import { wasmBackend } from './wasm.ts';
import { ADAPTER, generateAll, randomBatch, trainingStep } from './workload.ts';

/** A wider block beside marft-tiny's; whole Qwen models would only take longer. */
const WIDE = { hidden_size: 384, num_hidden_layers: 1, num_attention_heads: 6, num_key_value_heads: 2, intermediate_size: 1536 };
const PROMPT = 32;
const ROWS = [1, 8];
const NEW_TOKENS = 8;

export const PRECISION_BENCH: Bench = {
  name: 'precision',
  summary: 'What f16 and 4 bits cost in time, against f32 (Node CPU and WASM).',
  async run({ repetitions }) {
    const rows: BenchTable['rows'] = [];
    const backends: Record<string, Backend> = { 'Node CPU': createNodeBackend(), WASM: await wasmBackend() };
    for (const [shape, config] of [['marft-tiny', {}], ['a block of 384', WIDE]] as const) {
      for (const [kind, backend] of Object.entries(backends)) rows.push(...(await measure(shape, kind, backend, config, repetitions)));
    }
    return [
      {
        title: 'Time over f32: median (quartiles)',
        rows,
        notes: [
          `Generation: ${NEW_TOKENS} tokens after a prompt of ${PROMPT}. Update: ${ROWS.at(-1)} rows of ${2 * PROMPT} tokens. One thread.`,
          'A processor widens f16 and unpacks 4 bits before it multiplies, at each token; a GPU reads less memory instead.',
        ],
      },
    ];
  },
};

interface Held {
  model: QwenModel;
  policy: LoraPolicy;
}

async function measure(shape: string, kind: string, backend: Backend, config: Record<string, unknown>, repetitions: number): Promise<BenchTable['rows']> {
  const held = new Map<Precision, Held & { bytes: number }>();
  for (const precision of PRECISIONS) {
    const before = backend.liveBytes();
    const model = await randomModel(backend, benchConfig(config), precision);
    held.set(precision, { model, bytes: backend.liveBytes() - before, policy: await model.createPolicy(ADAPTER, 1) });
  }
  const timed = (work: (one: Held) => Promise<unknown>): Promise<Record<string, number[]>> =>
    takeTurns(Object.fromEntries([...held].map(([precision, one]) => [precision, () => work(one)])), repetitions);
  const columns = new Map<string, Record<string, number[]>>();
  for (const count of ROWS) {
    columns.set(`generate, ${count} ${count === 1 ? 'row' : 'rows'}`, await timed(({ model, policy }) => generateAll(policy, randomBatch(model, count, 2 * PROMPT), NEW_TOKENS)));
  }
  columns.set('update', await timed(({ model, policy }) => trainingStep(policy, randomBatch(model, ROWS.at(-1) ?? 1, 2 * PROMPT))));
  const rows = [...held].map(([precision, { bytes }]) => ({
    model: shape,
    backend: kind,
    precision,
    'base, MB': bytes / 1e6,
    ...Object.fromEntries([...columns].map(([name, times]) => [name, spreadCell(spread(ratios(times[precision] ?? [], times['f32'] ?? [])))])),
  }));
  for (const { model, policy } of held.values()) {
    policy.dispose();
    model.dispose();
  }
  return rows;
}
