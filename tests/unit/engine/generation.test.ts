/** Which tokens come out of generation, and which never do. */
import { describe, expect, it } from 'vitest';
import type { QwenModel } from '../../../src/engine/model.ts';
import type { GenerateOptions } from '../../../src/engine/types.ts';
import { Random } from '../../../src/random/random.ts';
import { TINY_CONFIG, tinyModel } from './tiny.ts';

const random = new Random(3);
const prompts = [5, 11, 8, 3, 9, 6].map((length) => Int32Array.from({ length }, () => random.int(0, 63)));

function options(changes: Partial<GenerateOptions> = {}): GenerateOptions {
  return {
    maxNewTokens: 10,
    temperature: 1,
    greedy: false,
    uniform: (row, position) => new Random(row, position).next(),
    stopIds: [],
    bannedIds: [],
    ...changes,
  };
}

async function tokensOf(model: QwenModel, changes: Partial<GenerateOptions> = {}): Promise<number[][]> {
  return (await model.base.generate(prompts, options(changes))).map(({ tokens }) => [...tokens]);
}

describe('a banned id', () => {
  const OPEN = 5;
  /** Every position's logits are its head's rows' sums: e³² times as likely as all else is the id that opens a turn. */
  const forger = () =>
    tinyModel((name, size) => {
      if (name === 'lm_head.weight') return Float32Array.from({ length: size }, (_, i) => +(Math.floor(i / TINY_CONFIG.hidden_size) === OPEN) * 100);
      if (name === 'model.embed_tokens.weight' || name.endsWith('norm.weight')) return new Float32Array(size).fill(1);
      return new Float32Array(size);
    });

  it('is never said, not even by a model that would say nothing else', async () => {
    const model = await forger();
    expect(new Set((await tokensOf(model)).flat())).toEqual(new Set([OPEN]));
    for (const greedy of [true, false]) {
      const banned = (await tokensOf(model, { greedy, bannedIds: [OPEN] })).flat();
      expect(banned).toHaveLength(prompts.length * 10);
      expect(banned).not.toContain(OPEN);
    }
    // All others are equally likely, and all of them are drawn from.
    expect(new Set((await tokensOf(model, { bannedIds: [OPEN] })).flat()).size).toBeGreaterThan(20);
  });

  it('leaves the log-probs those of the whole distribution, as scoring computes them', async () => {
    const model = await tinyModel();
    const bannedIds = Array.from({ length: 40 }, (_, i) => i);
    const truncation = { topK: 6, topP: 0.8, minP: 0.05 };
    const generations = await model.base.generate(prompts, options({ bannedIds, truncation, temperature: 0.8 }));
    const scores = await model.base.score(generations.map(({ tokens }, row) => ({ prompt: prompts[row] ?? tokens, tokens })), 0.8);
    generations.forEach(({ tokens, logprobs }, row) => {
      expect(Math.min(...tokens)).toBeGreaterThanOrEqual(40);
      logprobs.forEach((value, t) => expect(value).toBeCloseTo(scores.logprobs[row]?.[t] ?? NaN, 4));
    });
  });

  it('cannot be every id', async () => {
    const model = await tinyModel();
    await expect(tokensOf(model, { bannedIds: [...Array(64).keys()] })).rejects.toThrow('every token is banned');
  });
});

describe('truncation', () => {
  it('to one token is greedy, however it is asked for', async () => {
    const model = await tinyModel();
    const greedy = await tokensOf(model, { greedy: true });
    expect(await tokensOf(model)).not.toEqual(greedy);
    for (const change of [{ topK: 1 }, { topP: 1e-6 }, { minP: 1 }]) {
      expect(await tokensOf(model, { truncation: { topK: 0, topP: 1, minP: 0, ...change } })).toEqual(greedy);
    }
  });

  it('that cuts nothing changes nothing', async () => {
    const model = await tinyModel();
    expect(await tokensOf(model, { truncation: { topK: 64, topP: 0.9999999, minP: 1e-9 } })).toEqual(await tokensOf(model));
  });
});

describe('stop ids', () => {
  it('end a row at the first of any of them', async () => {
    const model = await tinyModel();
    const free = await tokensOf(model);
    const stopIds = [free[0]?.[3] ?? 0, free[1]?.[2] ?? 0];
    const stopped = await model.base.generate(prompts, options({ stopIds }));
    free.forEach((tokens, row) => {
      const end = tokens.findIndex((token) => stopIds.includes(token));
      expect([...(stopped[row]?.tokens ?? [])]).toEqual(end < 0 ? tokens : tokens.slice(0, end + 1));
      expect(stopped[row]?.truncated).toBe(end < 0);
    });
  });
});
