/** What `marft export --format onnx` writes, loaded by transformers.js: the same logits and the same answers, with padding on the left. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AutoModelForCausalLM, Tensor, env, pipeline, type PreTrainedModel } from '@huggingface/transformers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder } from '../../src/checkpoint/folder-source.ts';
import { openRepository } from '../../src/checkpoint/repository.ts';
import { loadLanguageModel } from '../../src/engine/model.ts';
import { createNodeBackend } from '../../src/runtime/node.ts';
import { createChatTokenizer } from '../../src/tokenizer/chat-tokenizer.ts';
import { marft } from '../unit/cli/marft.ts';
import { expectClose, fixtureAdapter, fixtureJson, fixtureRepository, fixtureTensors, sequences, type Manifest } from './fixtures.ts';

interface Message {
  role: string;
  content: string;
}

/** The part of `embedded/<model>.json` that is used here. */
interface EmbeddedReference {
  newTokens: number;
  cases: { messages: Message[]; greedy: number[] }[];
}

const PADDING = 0;
const folder = mkdtempSync(join(tmpdir(), 'marft-onnx-'));
const backend = createNodeBackend();
env.allowRemoteModels = false;
afterAll(() => rmSync(folder, { recursive: true }));

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Exports a model, with an adapter where one is named, and returns the new folder. */
async function exported(name: string, model: string, ...options: string[]): Promise<string> {
  const out = join(folder, name);
  expect(await marft('export', '--model', model, ...options, '--out', out, '--format', 'onnx')).toMatchObject({ code: 0, err: '' });
  return out;
}

/** One batch of ragged rows, padded on the left as transformers.js expects before generating. */
function leftPadded(rows: readonly number[][]): { input_ids: Tensor; attention_mask: Tensor; length: number } {
  const length = Math.max(...rows.map((row) => row.length));
  const batch = (value: (row: number[], place: number) => number): Tensor =>
    new Tensor('int64', BigInt64Array.from(rows.flatMap((row) => Array.from({ length }, (_, i) => BigInt(value(row, i - (length - row.length)))))), [rows.length, length]);
  return {
    input_ids: batch((row, place) => row[place] ?? PADDING),
    attention_mask: batch((_, place) => (place < 0 ? 0 : 1)),
    length,
  };
}

describe.each(['qwen2-tied', 'qwen2-untied', 'qwen3-tied'])('%s under its adapter, in transformers.js', (name) => {
  const manifest = fixtureJson<Manifest>(`${name}/manifest.json`);
  const rows = manifest.sequences.map(({ prompt, tokens }) => [...prompt, ...tokens]);
  let model: PreTrainedModel;
  /** [rows][tokens of the row][vocabulary] */
  let logits: Float32Array[][];

  beforeAll(async () => {
    const out = await exported(name, path(`fixtures/${name}`), '--adapter', path(`fixtures/${name}/adapter-all`));
    model = await AutoModelForCausalLM.from_pretrained(out);
    const { length, ...inputs } = leftPadded(rows);
    const output = ((await model(inputs)) as { logits: Tensor }).logits;
    const vocabulary = output.dims[2] ?? 0;
    const data = output.data as Float32Array;
    logits = rows.map((row, r) => row.map((_, t) => {
      const start = (r * length + length - row.length + t) * vocabulary;
      return data.slice(start, start + vocabulary);
    }));
  });

  afterAll(() => model.dispose());

  it('gives the logits that PyTorch gives', () => {
    const expected = fixtureTensors(`${name}/expected.safetensors`);
    logits.forEach((row, r) => expectClose(row.flatMap((token) => [...token]), expected.get(`logits.all.${r}`)?.data ?? [], `logits of row ${r}`));
  });

  it('gives the log-probs that the engine gives', async () => {
    const { lora, parameters } = fixtureAdapter(`${name}/adapter-all`);
    const engine = await loadLanguageModel(backend, await fixtureRepository(name));
    const policy = await engine.createPolicy(lora, 1);
    await policy.restore(parameters);
    const scores = await policy.score(sequences(manifest.sequences), 1);
    manifest.sequences.forEach(({ prompt, tokens }, r) => {
      const logprobs = tokens.map((id, t) => {
        const of = logits[r]?.[prompt.length + t - 1] ?? new Float32Array(0);
        return (of[id] ?? Number.NaN) - Math.log(of.reduce((sum, logit) => sum + Math.exp(logit), 0));
      });
      expectClose(logprobs, scores.logprobs[r] ?? [], `log-probs of row ${r}`);
    });
    policy.dispose();
    engine.dispose();
  });

  it('generates the same tokens, alone and in a left-padded batch', async () => {
    const { maxNewTokens, stopId, all } = manifest.greedy;
    const generate = async (prompts: readonly number[][]): Promise<number[][]> => {
      const { length, ...inputs } = leftPadded(prompts);
      const settings = { max_new_tokens: maxNewTokens, do_sample: false, eos_token_id: stopId };
      const ids = ((await model.generate({ ...inputs, ...settings })) as Tensor).tolist() as bigint[][];
      return ids.map((row) => upTo(stopId, row.slice(length).map(Number)));
    };
    const prompts = manifest.sequences.map(({ prompt }) => prompt);
    expect(await generate(prompts)).toEqual(all);
    for (const [r, prompt] of prompts.entries()) expect(await generate([prompt])).toEqual([all[r]]);
  });
});

/** A finished row of a batch is continued until the others are. */
function upTo(stopId: number, ids: readonly number[]): number[] {
  const end = ids.indexOf(stopId);
  return end < 0 ? [...ids] : ids.slice(0, end + 1);
}

it('makes a folder whose pipeline answers a chat as Python\'s transformers does', async () => {
  const { newTokens, cases } = fixtureJson<EmbeddedReference>('embedded/marft-tiny.json');
  const generator = await pipeline('text-generation', await exported('tiny', 'marft-tiny'));
  const tokenizer = createChatTokenizer(await openRepository(openFolder(path('../../public/models/marft-tiny'))));
  for (const { messages, greedy } of cases) {
    const [answer] = (await generator(messages, { max_new_tokens: newTokens, do_sample: false })) as { generated_text: Message[] }[];
    expect(answer?.generated_text.at(-1)).toEqual({ role: 'assistant', content: tokenizer.decode(greedy) });
  }
  await generator.dispose();
});
