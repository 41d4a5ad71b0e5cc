import { describe, expect, it } from 'vitest';
import { AnsweringDesk, exampleQuestions } from '../../../../src/app/ask/answering.ts';
import type { Side } from '../../../../src/app/ask/protocol.ts';
import type { GenerateOptions } from '../../../../src/engine/types.ts';
import { presetByName } from '../../../../src/experiment/presets.ts';
import type { Session } from '../../../../src/experiment/session.ts';
import { createGame } from '../../../../src/marft/game.ts';
import { PlaygroundError } from '../../../../src/runtime/errors.ts';
import { taskByName } from '../../../../src/tasks/registry.ts';
import { team, toyTokenizer } from '../../marft/doubles.ts';

const experiment = presetByName('micro-addition');
const asked = { question: '1+1=?', greedy: false };

/** A player that notes what it is asked for, and speaks until it is let go on or stopped. */
class Player {
  readonly draws: number[] = [];
  wait: Promise<void> = Promise.resolve();

  async generate(_: readonly Int32Array[], { uniform, signal, onTokens }: GenerateOptions): Promise<{ tokens: Int32Array; logprobs: Float32Array; truncated: boolean }[]> {
    this.draws.push(uniform(0, 0));
    onTokens?.(0, [2], [-1]);
    await Promise.race([this.wait, new Promise<void>((resolve) => (signal?.aborted ? resolve() : signal?.addEventListener('abort', () => resolve())))]);
    if (signal?.aborted) throw new PlaygroundError('generation-stopped', 'Stopped.', 'Ask again.');
    return [{ tokens: Int32Array.of(2), logprobs: Float32Array.of(-1), truncated: true }];
  }
}

function sessionOf(base: Player, trained: Player): Session {
  const game = createGame(team());
  // What the desk looks at of a session.
  const parts: Pick<Session, 'experiment' | 'task' | 'tokenizer'> & { model: { base: Player }; trainer: { game: typeof game; policies: Player[] } } = {
    experiment,
    task: taskByName('duo-addition'),
    tokenizer: toyTokenizer(),
    model: { base },
    trainer: { game, policies: [trained, trained] },
  };
  return parts as unknown as Session;
}

describe('the desk where a team is asked', () => {
  it('asks the base team and then the trained one, with the same luck for both, and anew for every question', async () => {
    const [base, trained] = [new Player(), new Player()];
    const [desk, session] = [new AnsweringDesk(), sessionOf(base, trained)];
    const sides: Side[] = [];
    expect(await desk.ask(session, asked, (side, { type }) => type === 'turn' && sides.push(side))).toBe('complete');
    expect(sides).toEqual(['base', 'base', 'trained', 'trained']);
    expect(base.draws).toEqual(trained.draws);
    await desk.ask(session, asked, () => undefined);
    expect(base.draws.slice(2)).not.toEqual(base.draws.slice(0, 2));
    const again = new Player();
    await desk.ask(sessionOf(again, new Player()), asked, () => undefined);
    expect(again.draws).toEqual(base.draws.slice(0, 2));
  });

  it('stops an answer in the middle, takes no second question before, and any after', async () => {
    const [base, trained] = [new Player(), new Player()];
    const [desk, session] = [new AnsweringDesk(), sessionOf(base, trained)];
    trained.wait = new Promise(() => undefined);
    const first = desk.ask(session, asked, () => undefined);
    await expect(desk.ask(session, asked, () => undefined)).rejects.toMatchObject({ code: 'team-answers' });
    await desk.stop();
    expect(await first).toBe('stopped');
    await desk.stop();
    trained.wait = Promise.resolve();
    expect(await desk.ask(session, asked, () => undefined)).toBe('complete');
  });

  it('is free again after a question that could not be asked', async () => {
    const desk = new AnsweringDesk();
    const session = sessionOf(new Player(), new Player());
    await expect(desk.ask(session, { ...asked, question: '' }, () => undefined)).rejects.toMatchObject({ code: 'question-empty' });
    expect(await desk.ask(session, asked, () => undefined)).toBe('complete');
  });

  it('offers held-out questions of the task as examples', () => {
    const task = taskByName('duo-addition');
    const examples = exampleQuestions({ task, experiment });
    expect(examples).toHaveLength(3);
    expect(examples).toEqual(task.heldOut(3, experiment.seed).map(({ question, answer }) => ({ question, answer })));
    expect(exampleQuestions({ task: taskByName('secret'), experiment })[0]?.secret).toMatch(/^\d$/);
  });
});
