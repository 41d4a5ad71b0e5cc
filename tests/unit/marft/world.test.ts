/** Games of several turns in which the world answers, played by scripted agents. */
import { describe, expect, it } from 'vitest';
import type { Generation, Policy } from '../../../src/engine/types.ts';
import { at } from '../../../src/marft/arrays.ts';
import { createGame } from '../../../src/marft/game.ts';
import { agentMessages, transcriptMessages, WORLD } from '../../../src/marft/prompt.ts';
import { judge } from '../../../src/marft/reward.ts';
import { answersOf, rollout, type Episode } from '../../../src/marft/rollout.ts';
import { algorithmSchema } from '../../../src/marft/settings.ts';
import { criticViews } from '../../../src/marft/views.ts';
import { taskByName } from '../../../src/tasks/registry.ts';
import type { Problem } from '../../../src/tasks/types.ts';
import { STOP, team, toyTokenizer } from './doubles.ts';

const tokenizer = toyTokenizer();
const walk = taskByName('walk');
const game = createGame(team([{ maxNewTokens: 8 }, { maxNewTokens: 8 }], { horizon: 4 }));
const problem: Problem = { id: 'w', question: 'walk from a1', secret: 'flag c1 wall b1', answer: '' };

/** Says one thing a turn, and remembers what it was shown. */
class Scripted implements Pick<Policy, 'generate'> {
  readonly prompts: string[][] = [];
  #turn = 0;

  constructor(private readonly says: (turn: number, row: number) => string) {}

  generate(prompts: readonly Int32Array[]): Promise<Generation[]> {
    this.prompts.push(prompts.map((ids) => tokenizer.decode(ids)));
    const turn = this.#turn++;
    return Promise.resolve(
      prompts.map((_, row) => {
        const tokens = Int32Array.from([...tokenizer.encode(this.says(turn, row)), STOP]);
        return { tokens, logprobs: new Float32Array(tokens.length), truncated: false };
      }),
    );
  }
}

function play(walker: Scripted, problems: readonly Problem[] = [problem]): Promise<Episode[]> {
  const navigator = new Scripted(() => 'on');
  return rollout(game, [navigator, walker], tokenizer, problems, {
    key: [1],
    greedy: true,
    isOver: walk.isOver?.bind(walk),
    respond: walk.respond?.bind(walk),
  });
}

describe('a world that answers', () => {
  it('is heard by all from the next turn on, and not after the end', async () => {
    const walker = new Scripted((turn) => ['down', 'right', 'up', 'right'][turn] ?? '');
    const [episode] = await play(walker);
    expect(episode?.replies).toEqual(['now a2', 'now b2', 'now b2']);
    expect(walker.prompts.map(([prompt]) => [...(prompt ?? '').matchAll(/now \w\d/g)].map(([line]) => line))).toEqual([
      [], ['now a2'], ['now a2', 'now b2'], ['now a2', 'now b2', 'now b2'],
    ]);
    expect(walker.prompts[1]?.[0]).toContain('agent-0: on\nagent-1: down\nnow a2\nagent-0: on');
  });

  it('ends an episode where the goal is reached, and leaves the others to go on', async () => {
    const ways = [['down', 'right', 'right', 'up'], ['up', 'up', 'up', 'up'], ['down', 'down', 'right', 'right']];
    // The walker cannot tell rows by their place once one is over: here none is before the last turn.
    const walker = new Scripted((turn, row) => ways[row]?.[turn] ?? '');
    const near = { ...problem, secret: 'flag a2' };
    const episodes = await play(walker, [problem, problem, problem]);
    const verdicts = await judge({ game, task: walk, tokenizer, key: [1] }, episodes);
    expect(verdicts.map(({ reward }) => reward)).toEqual([1, 0, 0]);
    expect(verdicts.map(({ parts }) => parts.nearer)).toEqual([1, 0, 0.5]);
    const [early] = await play(new Scripted(() => 'down'), [near]);
    expect(early?.utterances).toHaveLength(2);
    expect(early?.replies).toBeUndefined();
    expect(answersOf(at([early].flatMap((one) => one ?? []), 0), 1, tokenizer)).toEqual(['down']);
  });

  it('is in what the critic reads, whose values stay at their tokens', async () => {
    const [episode] = await play(new Scripted(() => 'down'));
    if (!episode) throw new Error('no episode');
    const [view] = criticViews(game, tokenizer, [episode], algorithmSchema.parse({}));
    const sequence = at(view?.sequences ?? [], 0);
    expect(tokenizer.decode(sequence.ids).match(/now \w\d/g)).toEqual(['now a2', 'now a3', 'now a3']);
    const tokens = episode.utterances.flatMap((one) => Array.from(one.tokens.subarray(0, -1)));
    const valued = episode.utterances.flatMap(({ tokens: own }, k) => {
      const start = episode.utterances.slice(0, k).reduce((sum, one) => sum + one.tokens.length, 0);
      return Array.from(sequence.positions.subarray(start, start + own.length - 1), (position) => sequence.ids[position + 1]);
    });
    expect(valued).toEqual(tokens);
  });

  it('speaks in a line of its own that nobody is named for', () => {
    const reply = { agent: WORLD, content: 'now a2' } as const;
    const said = { agent: 1, content: Int32Array.of(7) };
    expect(agentMessages(game, 0, { question: 'Q' }, [], [said, reply])[1]?.content).toEqual(['Q\nagent-1: ', said.content, '\nnow a2']);
    expect(transcriptMessages(game, { question: 'Q' }, [said, reply]).slice(2)).toEqual([
      { role: 'assistant', content: ['agent-1: ', said.content] },
      { role: 'user', content: ['now a2'] },
    ]);
  });
});
