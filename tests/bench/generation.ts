/** Batched generation by the engine against `generate` of transformers.js, on the same weights and the same build of ONNX Runtime's WASM. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tensor } from '@huggingface/transformers';
import { openFolder } from '../../src/checkpoint/folder-source.ts';
import { ONNX_FOLDER, ONNX_WEIGHTS } from '../../src/checkpoint/onnx-model.ts';
import { openRepository, type Repository } from '../../src/checkpoint/repository.ts';
import { commandLine } from '../../src/cli/command-line.ts';
import { loadLanguageModel, type QwenModel } from '../../src/engine/model.ts';
import { Random } from '../../src/random/random.ts';
import { duoAddition } from '../../src/tasks/addition.ts';
import { createChatTokenizer } from '../../src/tokenizer/chat-tokenizer.ts';
import type { Bench } from './bench.ts';
import { ratios, spread, spreadCell, takeTurns } from './timing.ts';
import { transformersOnWasm, wasmBackend } from './wasm.ts';

const MODEL = 'marft-tiny';
const FOLDER = fileURLToPath(new URL(`../../public/models/${MODEL}`, import.meta.url));
const NEW_TOKENS = 48;
/** Rows, and how many times faster the engine should be. */
const GOALS = [
  { rows: 1, goal: 2 },
  { rows: 8, goal: null },
  { rows: 32, goal: 10 },
];

export const GENERATION_BENCH: Bench = {
  name: 'generation',
  summary: 'Batched generation against transformers.js (WASM).',
  async run({ repetitions }) {
    const repository = await openRepository(openFolder(FOLDER));
    const engine = await loadLanguageModel(await wasmBackend(), repository);
    const theirs = await exportAndLoad();
    const prompts = promptsOf(repository, Math.max(...GOALS.map(({ rows }) => rows)));
    const rows = [];
    for (const { rows: count, goal } of GOALS) {
      const batch = prompts.slice(0, count);
      const oursIds = await generateOurs(engine, batch, true);
      const theirIds = await theirs.generate(batch, true);
      if (JSON.stringify(oursIds) !== JSON.stringify(theirIds)) throw new Error(`the sides generate different tokens at ${count} rows`);
      for (const greedy of [true, false]) {
        const times = await takeTurns(
          {
            ours: () => generateOurs(engine, batch, greedy),
            batched: () => theirs.generate(batch, greedy),
            oneByOne: async () => {
              for (const prompt of batch) await theirs.generate([prompt], greedy);
            },
          },
          repetitions,
        );
        rows.push({
          rows: count,
          tokens: greedy ? 'likeliest' : 'sampled',
          'engine, ms': spreadCell(spread(times.ours)),
          'transformers.js, ms': spreadCell(spread(times.batched)),
          'row by row, ms': spreadCell(spread(times.oneByOne)),
          'times faster': spreadCell(spread(ratios(times.batched, times.ours))),
          'than row by row': spreadCell(spread(ratios(times.oneByOne, times.ours))),
          goal: goal ?? '',
        });
      }
    }
    await theirs.dispose();
    engine.dispose();
    return [
      {
        title: `Generating ${NEW_TOKENS} tokens a row with ${MODEL}: median (quartiles)`,
        rows,
        notes: [
          'Node, WASM, one thread, one module of ONNX Runtime for both sides; prompts of the addition task; no row stops early.',
          '"Row by row" is transformers.js on one prompt after the other, as pages use it.',
          'The likeliest tokens are the same on both sides, which is checked before anything is timed.',
        ],
      },
    ];
  },
};

/** Questions of one to three digits, so that lengths differ. */
function promptsOf(repository: Repository, count: number): Int32Array[] {
  const tokenizer = createChatTokenizer(repository);
  return Array.from({ length: count }, (_, row) => {
    const { question } = duoAddition(1 + (row % 3)).train(new Random(row));
    return tokenizer.chat([{ role: 'user', content: [question] }], true).ids;
  });
}

async function generateOurs(engine: QwenModel, prompts: readonly Int32Array[], greedy: boolean): Promise<number[][]> {
  const random = new Random(4);
  const options = { maxNewTokens: NEW_TOKENS, temperature: 1, greedy, uniform: () => random.next(), stopIds: [], bannedIds: [] };
  return (await engine.base.generate(prompts, options)).map(({ tokens }) => [...tokens]);
}

interface Theirs {
  generate(prompts: readonly Int32Array[], greedy: boolean): Promise<number[][]>;
  dispose(): Promise<unknown>;
}

/** The model as `marft export` writes it, in transformers.js. */
async function exportAndLoad(): Promise<Theirs> {
  const { AutoModelForCausalLM, Tensor } = await transformersOnWasm();
  const folder = await mkdtemp(join(tmpdir(), 'marft-bench-'));
  try {
    await exportModel(join(folder, MODEL));
    const weights = new Uint8Array(await readFile(join(folder, MODEL, ONNX_FOLDER, ONNX_WEIGHTS)));
    const model = await AutoModelForCausalLM.from_pretrained(join(folder, MODEL), {
      device: 'auto',
      session_options: { executionProviders: ['wasm'], externalData: [{ path: ONNX_WEIGHTS, data: weights }] },
    });
    return {
      async generate(prompts, greedy) {
        const length = Math.max(...prompts.map((prompt) => prompt.length));
        const batch = (value: (prompt: Int32Array, place: number) => number): Tensor => {
          const rows = prompts.flatMap((prompt) => Array.from({ length }, (_, i) => BigInt(value(prompt, i - (length - prompt.length)))));
          return new Tensor('int64', BigInt64Array.from(rows), [prompts.length, length]);
        };
        const output = await model.generate({
          input_ids: batch((prompt, place) => prompt[place] ?? 0),
          attention_mask: batch((_, place) => (place < 0 ? 0 : 1)),
          max_new_tokens: NEW_TOKENS,
          do_sample: !greedy,
          temperature: 1,
          top_k: 0,
          // No token has this id: no row stops.
          eos_token_id: -1,
        });
        return ((output as Tensor).tolist() as bigint[][]).map((row) => row.slice(length).map(Number));
      },
      dispose: () => model.dispose(),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function exportModel(out: string): Promise<void> {
  const silent = () => undefined;
  const terminal = { print: silent, complain: (text: string) => void process.stderr.write(text), interactive: false, onInterrupt: () => silent };
  if ((await commandLine(['export', '--model', MODEL, '--out', out, '--format', 'onnx'], terminal)) !== 0) throw new Error('the export failed');
}
