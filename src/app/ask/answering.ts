/** The worker's end of asking: one question at a time, between two iterations. */
import type { Session } from '../../experiment/session.ts';
import { ask } from '../../marft/ask.ts';
import { checkQuestion, MAX_QUESTION } from '../../marft/question.ts';
import { STREAM } from '../../marft/streams.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { SIDES, type AnswerEnd, type AnswerListener, type Asked, type ExampleQuestion } from './protocol.ts';

/** Examples that are offered. */
const EXAMPLES = 3;
/** Held-out problems that are looked through for them. */
const LOOKED_AT = 16;

interface Answering {
  stop: AbortController;
  /** Resolves when nothing of the session is in use any more; it is never rejected. */
  ended: Promise<unknown>;
}

/** Held-out problems as examples of what the team has learned to be asked, short enough to be asked. */
export function exampleQuestions({ task, experiment }: Pick<Session, 'task' | 'experiment'>): ExampleQuestion[] {
  return task
    .heldOut(LOOKED_AT, experiment.seed)
    .filter(({ question, secret = '' }) => Math.max(question.length, secret.length) <= MAX_QUESTION)
    .slice(0, EXAMPLES)
    .map(({ question, secret, answer }) => ({ question, answer, ...(secret === undefined ? {} : { secret }) }));
}

export class AnsweringDesk {
  #now: Answering | null = null;
  /** Questions that each session was asked: so the same question is drawn anew, and the same run asked the same things answers the same. */
  readonly #asked = new WeakMap<Session, number>();

  /** Both sides, one after the other, with the same random numbers. Throws a PlaygroundError while another question is being answered. */
  async ask(session: Session, { greedy, ...told }: Asked, listener: AnswerListener): Promise<AnswerEnd> {
    checkQuestion(told);
    if (this.#now !== null) throw new PlaygroundError('team-answers', 'The team is answering another question.', 'Stop that answer, or wait for it.');
    const { experiment, trainer, model, task, tokenizer } = session;
    const asked = (this.#asked.get(session) ?? 0) + 1;
    this.#asked.set(session, asked);
    const stop = new AbortController();
    const players = { base: trainer.policies.map(() => model.base), trained: trainer.policies };
    const answers = async (): Promise<void> => {
      for (const side of SIDES) {
        const options = { key: [experiment.seed, STREAM.chat, asked], greedy, signal: stop.signal };
        await ask({ game: trainer.game, task, tokenizer }, players[side], told, options, (news) => listener(side, news));
      }
    };
    const work = answers();
    const now = (this.#now = { stop, ended: work.catch(() => undefined) });
    try {
      await work;
      return 'complete';
    } catch (error) {
      if (error instanceof PlaygroundError && error.code === 'generation-stopped') return 'stopped';
      throw error;
    } finally {
      if (this.#now === now) this.#now = null;
    }
  }

  /** Resolves when no question is being answered any more. */
  async stop(): Promise<void> {
    this.#now?.stop.abort();
    await this.#now?.ended;
  }
}
