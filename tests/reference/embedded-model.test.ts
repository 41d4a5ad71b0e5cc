/** The models that ship with the app against PyTorch and transformers: what `embedded_model_fixture.py` recorded. */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder } from '../../src/checkpoint/folder-source.ts';
import { openRepository } from '../../src/checkpoint/repository.ts';
import { loadLanguageModel, type QwenModel } from '../../src/engine/model.ts';
import { createNodeBackend } from '../../src/runtime/node.ts';
import { createChatTokenizer } from '../../src/tokenizer/chat-tokenizer.ts';
import type { ChatMessage, ChatTokenizer } from '../../src/tokenizer/types.ts';
import { expectClose, fixtureJson, flat, hasFixture } from './fixtures.ts';

interface Fixture {
  /** SHA-256 of model.safetensors. */
  weights: string;
  stopIds: number[];
  newTokens: number;
  cases: {
    messages: { role: ChatMessage['role']; content: string }[];
    prompt: number[];
    greedy: number[];
    /** How far ahead, in logits, the closest of the greedy choices was. */
    greedyLead: number;
    /** Of the prompt from its second token on, and of the greedy tokens. */
    scores: { temperature: number; logprobs: number[]; entropies: number[] }[];
  }[];
}

const MODELS = fileURLToPath(new URL('../../public/models/', import.meta.url));
/** A closer choice may fall the other way by rounding alone. */
const CLEAR_LEAD = 1e-3;

const names = readdirSync(MODELS, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

describe.each(names)('%s', (name) => {
  const backend = createNodeBackend();
  let fixture: Fixture;
  let tokenizer: ChatTokenizer;
  let model: QwenModel;

  beforeAll(async () => {
    const again = `run tests/reference/embedded_model_fixture.py public/models/${name}`;
    if (!hasFixture(`embedded/${name}.json`)) throw new Error(`There is no reference for these weights yet: ${again}`);
    fixture = fixtureJson<Fixture>(`embedded/${name}.json`);
    const weights = createHash('sha256').update(readFileSync(`${MODELS}${name}/model.safetensors`)).digest('hex');
    if (weights !== fixture.weights) throw new Error(`The reference was made from other weights: ${again}`);
    const repository = await openRepository(openFolder(`${MODELS}${name}`));
    tokenizer = createChatTokenizer(repository);
    model = await loadLanguageModel(backend, repository);
  });

  afterAll(() => {
    // Without its reference there is no model.
    (model as QwenModel | undefined)?.dispose();
  });

  it('reads a chat as the same tokens, and stops at the same ones', () => {
    expect(tokenizer.stopIds).toEqual(fixture.stopIds);
    for (const { messages, prompt } of fixture.cases) {
      const chat = messages.map(({ role, content }) => ({ role, content: [content] }));
      expect([...tokenizer.chat(chat, true).ids]).toEqual(prompt);
    }
  });

  it('gives every token the same log-prob and entropy', async () => {
    const batch = fixture.cases.map(({ prompt, greedy }) => ({
      prompt: Int32Array.from(prompt.slice(0, 1)),
      tokens: Int32Array.from([...prompt.slice(1), ...greedy]),
    }));
    for (const [i, temperature] of [1, 0.7].entries()) {
      const scores = await model.base.score(batch, temperature);
      fixture.cases.forEach((expected, row) => {
        expect(expected.scores[i]?.temperature).toBe(temperature);
        expectClose(scores.logprobs[row] ?? [], expected.scores[i]?.logprobs ?? [], `log-probs of chat ${row}`);
        expectClose(scores.entropies[row] ?? [], expected.scores[i]?.entropies ?? [], `entropies of chat ${row}`);
      });
    }
  });

  /** Nats: at most at any token, and on average. */
  it.each([['f16', 0.01, 0.001], ['4-bit', 2, 0.3]] as const)('held in %s is no further off than %d nats at a token, and %d on average', async (precision, most, average) => {
    const held = await loadLanguageModel(backend, await openRepository(openFolder(`${MODELS}${name}`)), { precision });
    const batch = fixture.cases.map(({ prompt, greedy }) => ({
      prompt: Int32Array.from(prompt.slice(0, 1)),
      tokens: Int32Array.from([...prompt.slice(1), ...greedy]),
    }));
    const { logprobs, entropies } = await held.base.score(batch, 1);
    for (const [got, key] of [[logprobs, 'logprobs'], [entropies, 'entropies']] as const) {
      const expected = fixture.cases.flatMap(({ scores }) => scores[0]?.[key] ?? []);
      const off = flat(got).map((number, i) => Math.abs(number - (expected[i] ?? Number.NaN)));
      expect(Math.max(...off)).toBeLessThan(most);
      expect(off.reduce((sum, one) => sum + one) / off.length).toBeLessThan(average);
      // Not the f32 model by mistake.
      expect(Math.max(...off)).toBeGreaterThan(most / 20);
    }
    held.dispose();
  });

  it('answers greedily with the same tokens', async () => {
    const prompts = fixture.cases.map(({ prompt }) => Int32Array.from(prompt));
    const generations = await model.base.generate(prompts, {
      maxNewTokens: fixture.newTokens,
      temperature: 1,
      greedy: true,
      uniform: () => 0,
      stopIds: fixture.stopIds,
      bannedIds: [],
    });
    fixture.cases.forEach(({ greedy, greedyLead }, row) => {
      if (greedyLead > CLEAR_LEAD) expect([...(generations[row]?.tokens ?? [])]).toEqual(greedy);
    });
  });
});
