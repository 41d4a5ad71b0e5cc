/** Sampling against transformers: which tokens may be drawn, how often each is, and the log-prob that is reported. */
import { describe, expect, it } from 'vitest';
import { GraphBuilder } from '../../src/onnx/graph.ts';
import { serialize } from '../../src/onnx/serialize.ts';
import { BANNED, drawToken, samplingInputs } from '../../src/qwen/sampling.ts';
import { pick, readFloats } from '../../src/runtime/backend.ts';
import { createNodeBackend } from '../../src/runtime/node.ts';
import { expectClose, fixtureJson } from './fixtures.ts';

interface Case {
  temperature: number;
  topK: number;
  topP: number;
  minP: number;
  banned: number[];
  logits: number[];
  /** Of each id to be drawn. */
  probabilities: number[];
  /** Of the whole distribution at the temperature. */
  logprobs: number[];
}

const backend = createNodeBackend();
const CASES = fixtureJson<Case[]>('sampling.json');
/** One row of a batch for each. */
const UNIFORMS = Array.from({ length: 500 }, (_, i) => (i + 0.5) / 500);
/** A number this close to the border between two tokens may fall to either. */
const BORDER = 1e-5;

async function draw({ temperature, topK, topP, minP, banned, logits }: Case) {
  const g = new GraphBuilder('draw');
  const [batch, vocabulary] = [UNIFORMS.length, logits.length];
  const steps = { greedy: false, topK: topK > 0, topP: topP < 1, minP: minP > 0 };
  const inputs = samplingInputs(g, vocabulary, steps);
  const drawn = drawToken(g, g.input('logits', 'float32', [batch, vocabulary]), g.input('uniform', 'float32', [batch, 1]), false, inputs);
  g.output('token', drawn.token);
  g.output('logprob', drawn.logprob);
  const program = await backend.compile(serialize(g.finish()), 'draw');
  const scalar = (value: number) => backend.upload(Float32Array.of(value), []);
  const outputs = await program.run({
    logits: backend.upload(Float32Array.from(UNIFORMS.flatMap(() => logits)), [batch, vocabulary]),
    uniform: backend.upload(Float32Array.from(UNIFORMS), [batch, 1]),
    banned: backend.upload(Float32Array.from(logits, (_, id) => (banned.includes(id) ? BANNED : 0)), [1, vocabulary]),
    inverse_temperature: scalar(1 / temperature),
    ...(steps.topK ? { top_k: scalar(topK) } : {}),
    ...(steps.topP ? { top_p: scalar(topP) } : {}),
    ...(steps.minP ? { min_p: scalar(minP) } : {}),
  });
  return { tokens: [...((await backend.read(pick(outputs, 'token'))) as Int32Array)], logprobs: await readFloats(backend, pick(outputs, 'logprob')) };
}

describe('sampling', () => {
  it.each(CASES.map((one, i) => [i, one] as const))('draws what transformers would draw, as often (case %i)', async (_, one) => {
    const { tokens, logprobs } = await draw(one);
    const kept = one.probabilities.flatMap((probability, id) => (probability > 0 ? [id] : []));
    const ends: number[] = [];
    for (const probability of one.probabilities) ends.push((ends.at(-1) ?? 0) + probability);
    tokens.forEach((token, i) => {
      const u = UNIFORMS[i] ?? 0;
      expect(kept).toContain(token);
      if (!ends.some((end) => Math.abs(end - u) < BORDER)) expect(token).toBe(ends.findIndex((end) => end > u));
    });
    expectClose(logprobs, tokens.map((token) => one.logprobs[token] ?? NaN), 'log-probs');
  });
});
