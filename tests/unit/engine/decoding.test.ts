/** Batches that shrink, tokens that are heard as they come, and answers that are stopped. */
import { describe, expect, it } from 'vitest';
import type { QwenModel } from '../../../src/engine/model.ts';
import type { GenerateOptions, Generation } from '../../../src/engine/types.ts';
import { Random } from '../../../src/random/random.ts';
import type { Precision } from '../../../src/qwen/config.ts';
import type { Backend } from '../../../src/runtime/backend.ts';
import { createNodeBackend } from '../../../src/runtime/node.ts';
import { tinyModel } from './tiny.ts';

const random = new Random(5);
const ROWS = 12;
const prompts = Array.from({ length: ROWS }, (_, row) => Int32Array.from({ length: 3 + (row % 7) }, () => random.int(0, 63)));
/** Rows end at different steps, some at once and some never. */
const STOP_IDS = [3, 17, 30, 44];

function options(changes: Partial<GenerateOptions> = {}): GenerateOptions {
  return {
    maxNewTokens: 40,
    temperature: 1,
    greedy: false,
    uniform: (row, position) => new Random(row, position).next(),
    stopIds: STOP_IDS,
    bannedIds: [],
    ...changes,
  };
}

/** A backend on which each run of the graphs that decode is noted, as rows of the batch. */
function noting(batches: number[]): Backend {
  const backend = createNodeBackend();
  const compile = backend.compile.bind(backend);
  backend.compile = async (model, name) => {
    const program = await compile(model, name);
    return {
      run: (inputs) => {
        if (name === 'decode') batches.push(inputs.token?.dims[0] ?? 0);
        return program.run(inputs);
      },
      dispose: () => program.dispose(),
    };
  };
  return backend;
}

/** As if the model had so many parameters, of which the decision whether to shrink is made. */
async function answers(parameters: number, changes: Partial<GenerateOptions> = {}, precision: Precision = 'f32') {
  const batches: number[] = [];
  const model = await tinyModel(undefined, noting(batches), undefined, precision);
  Object.assign(model.shared, { parameters });
  const generations = await model.base.generate(prompts, options(changes));
  model.dispose();
  return { generations: generations.map(plain), batches };
}

function plain({ tokens, logprobs, truncated }: Generation) {
  return { tokens: [...tokens], logprobs: [...logprobs], truncated };
}

const NEVER = 0;
const SOON = 1e12;

describe('a batch of which rows have finished', () => {
  it.each(['f32', 'f16', '4-bit'] as const)('shrinks, and every row is the same to the last bit as without (%s)', async (precision) => {
    for (const changes of [{}, { greedy: true }, { truncation: { topK: 20, topP: 0.9, minP: 0.01 } }]) {
      const whole = await answers(NEVER, changes, precision);
      const shrunk = await answers(SOON, changes, precision);
      expect(whole.batches).toEqual([ROWS]);
      expect(shrunk.generations).toEqual(whole.generations);
      if (changes.greedy) continue;
      expect(shrunk.batches.length).toBeGreaterThan(1);
      expect(shrunk.batches.every((rows, k) => k === 0 || rows <= (shrunk.batches[k - 1] ?? 0) / 2)).toBe(true);
    }
  });

  it('is left as it is where little is to be saved', async () => {
    expect((await answers(300_000)).batches).toEqual([ROWS]);
  });
});

describe('tokens that somebody listens to', () => {
  it('come in several portions, make up the answers, stop token included, and change nothing', async () => {
    const quiet = await answers(SOON);
    const heard: number[][] = prompts.map(() => []);
    const logprobsHeard: number[][] = prompts.map(() => []);
    const portions: number[] = prompts.map(() => 0);
    const aloud = await answers(SOON, {
      onTokens: (row, tokens, logprobs) => {
        logprobsHeard[row]?.push(...logprobs);
        expect(tokens.length).toBeGreaterThan(0);
        expect(tokens.length).toBeLessThanOrEqual(4);
        heard[row]?.push(...tokens);
        portions[row] = (portions[row] ?? 0) + 1;
      },
    });
    expect(aloud.generations).toEqual(quiet.generations);
    expect(heard).toEqual(aloud.generations.map(({ tokens }) => tokens));
    expect(logprobsHeard).toEqual(aloud.generations.map(({ logprobs }) => [...logprobs]));
    expect(Math.max(...portions)).toBeGreaterThan(5);
  });

  it('are told of by their row, also where the rows go through the model in parts', async () => {
    const model = await tinyModel(undefined, undefined, { tokensAtOnce: 5 * 56, headBytes: 2 ** 20 });
    const heard: number[][] = prompts.map(() => []);
    const generations = await model.base.generate(prompts, options({ onTokens: (row, tokens) => heard[row]?.push(...tokens) }));
    model.dispose();
    expect(heard).toEqual(generations.map(({ tokens }) => [...tokens]));
  });
});

describe('an answer that is stopped', () => {
  const held = (model: QwenModel): number => model.shared.backend.liveTensors();
  const stopped = { name: 'PlaygroundError', code: 'generation-stopped' };

  it('ends with an error and leaves nothing behind', async () => {
    const model = await tinyModel();
    const before = held(model);
    const stop = new AbortController();
    let portions = 0;
    const onTokens = (row: number): void => {
      if (row === 0 && ++portions === 2) stop.abort();
    };
    await expect(model.base.generate(prompts, options({ stopIds: [], signal: stop.signal, onTokens }))).rejects.toMatchObject(stopped);
    expect(portions).toBe(2);
    expect(held(model)).toBe(before);
    await expect(model.base.generate(prompts, options({ signal: stop.signal }))).rejects.toMatchObject(stopped);
    expect(held(model)).toBe(before);
    model.dispose();
  });

  it('can be stopped by somebody who does not listen', async () => {
    const model = await tinyModel();
    const stop = new AbortController();
    const answer = model.base.generate(prompts, options({ stopIds: [], maxNewTokens: 100, signal: stop.signal }));
    setTimeout(() => stop.abort(), 0);
    await expect(answer).rejects.toMatchObject(stopped);
    model.dispose();
  });

  it('can be stopped by a message, also where the model leaves no time in between', async () => {
    const model = await tinyModel();
    const stop = new AbortController();
    const { port1, port2 } = new MessageChannel();
    port2.addEventListener('message', () => stop.abort());
    port2.start();
    let portions = 0;
    const onTokens = (row: number): void => {
      if (row === 0 && ++portions === 1) port1.postMessage('stop');
    };
    await expect(model.base.generate(prompts, options({ stopIds: [], maxNewTokens: 100, signal: stop.signal, onTokens }))).rejects.toMatchObject(stopped);
    expect(portions).toBeLessThan(10);
    port1.close();
    model.dispose();
  });

  it('leaves nothing behind when whoever listens fails, or when all goes well', async () => {
    const model = await tinyModel();
    const before = held(model);
    const onTokens = (): void => {
      throw new Error('the listener is gone');
    };
    await expect(model.base.generate(prompts, options({ onTokens }))).rejects.toThrow('the listener is gone');
    expect(held(model)).toBe(before);
    Object.assign(model.shared, { parameters: SOON });
    await model.base.generate(prompts, options());
    expect(held(model)).toBe(before);
    model.dispose();
  });
});
