import { describe, expect, it } from 'vitest';
import { at } from '../../../src/marft/arrays.ts';
import { createGame } from '../../../src/marft/game.ts';
import { transcriptMessages } from '../../../src/marft/prompt.ts';
import { rollout } from '../../../src/marft/rollout.ts';
import { criticViews, gather, scatter, transcriptSequence, utteranceSequence } from '../../../src/marft/views.ts';
import { algorithm, letterTask, TablePolicy, team, toyTokenizer } from './doubles.ts';

const PROBLEM = { question: 'What is it?', secret: '7' };

describe('where tokens are valued', () => {
  it('is at the position before each; a stop token’s prefix ends with the last word', () => {
    const rendered = { ids: Int32Array.from({ length: 12 }, (_, k) => k), idPartStarts: [4, 9] };
    // Two words and a stop token; then two words, cut by the length limit.
    expect([...transcriptSequence(rendered, [3, 2]).positions]).toEqual([3, 4, 5, 8, 9]);
  });

  it('of an utterance that is only a stop token is the end of what comes before', () => {
    const rendered = { ids: new Int32Array(6), idPartStarts: [4] };
    expect([...transcriptSequence(rendered, [1]).positions]).toEqual([3]);
  });

  it('sees in the transcript exactly what was said before the token', () => {
    const tokenizer = toyTokenizer();
    const game = createGame(team([{ name: 'reader' }, { name: 'answerer' }]));
    const words = ['ab', 'c'].map((text) => tokenizer.encode(text));
    const said = words.map((content, agent) => ({ agent, content }));
    const { ids, positions } = transcriptSequence(tokenizer.chat(transcriptMessages(game, PROBLEM, said), false), [3, 2]);
    const prefixes = [...positions].map((position) => tokenizer.decode(ids.subarray(0, position + 1)));
    ['reader: ', 'reader: a', 'reader: ab', 'answerer: ', 'answerer: c'].forEach((end, k) => {
      expect(prefixes[k]?.endsWith(end), end).toBe(true);
    });
    expect(prefixes).toHaveLength(5);
  });

  it('in the acting agent’s view is its own prompt and prefix', () => {
    const { ids, positions } = utteranceSequence({ prompt: Int32Array.of(5, 6, 7), tokens: Int32Array.of(8, 9, 0) });
    expect([...positions]).toEqual([2, 3, 4]);
    expect([...ids]).toEqual([5, 6, 7, 8, 9]);
  });

  it('refuses lengths that do not belong to the parts', () => {
    expect(() => transcriptSequence({ ids: new Int32Array(3), idPartStarts: [1] }, [1, 1])).toThrow(RangeError);
  });
});

describe('a critic’s view', () => {
  const tokenizer = toyTokenizer();
  const game = createGame(team([{ maxNewTokens: 3 }, { maxNewTokens: 3 }, { maxNewTokens: 3 }]));
  const policies = game.agents.map(() => new TablePolicy());
  const play = () => rollout(game, policies, tokenizer, letterTask().heldOut(6, 0), { key: [1], greedy: false });

  it.each([
    ['of a global critic, one sequence per episode', {}, [6]],
    ['of a critic with the acting agent’s view, one per utterance', { critic: { view: 'acting-agent' } }, [18]],
    ['of independent critics, one per episode each', { method: 'ippo' }, [6, 6, 6]],
  ])('%s, holds every token once and gives back what it gathered', async (_, settings, sequences) => {
    const episodes = await play();
    const views = criticViews(game, tokenizer, episodes, algorithm(settings));
    expect(views.map((view) => view.sequences.length)).toEqual(sequences);
    let next = 0;
    const numbers = game.agents.map((__, agent) =>
      episodes.map(({ utterances }) => Float32Array.from(at(utterances, agent).tokens, () => next++)),
    );
    const back = game.agents.map((): Float32Array[] => []);
    for (const view of views) scatter(view, gather(view, numbers), back);
    expect(back).toEqual(numbers);
  });

  it('values exactly the positions that it is trained on, so nothing bootstraps from an untrained one', async () => {
    const episodes = await play();
    for (const settings of [{}, { critic: { view: 'acting-agent' } }, { method: 'ippo' }]) {
      for (const view of criticViews(game, tokenizer, episodes, algorithm(settings))) {
        const returns = gather(view, game.agents.map((_, agent) => episodes.map(({ utterances }) => at(utterances, agent).logprobs)));
        view.sequences.forEach(({ ids, positions }, k) => {
          expect(at(returns, k)).toHaveLength(positions.length);
          expect(positions.every((position) => position >= 0 && position < ids.length)).toBe(true);
        });
      }
    }
  });

  it('of the acting agent opens with the profile that the agent itself is given', async () => {
    for (const { utterances } of await play()) {
      utterances.forEach((utterance, agent) => {
        expect(tokenizer.decode(utteranceSequence(utterance).ids)).toMatch(new RegExp(`^sprofile ${agent}`));
      });
    }
  });
});
