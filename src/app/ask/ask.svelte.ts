/** The page's side of asking the team: what was asked last, and what has been heard. */
import { proxy, type Remote } from 'comlink';
import { checkQuestion } from '../../marft/question.ts';
import { troubleOf } from '../trainer/reply.ts';
import type { Reply, TrainerService, Trouble } from '../trainer/protocol.ts';
import { heard, newExchange, type Exchange } from './exchange.ts';
import type { AnswerListener, Asked, ExampleQuestion } from './protocol.ts';

/** Calls the training worker; null where there is none. */
export type Caller = <T>(request: (service: Remote<TrainerService>) => Promise<Reply<T>>) => Promise<Reply<T>> | null;

export class AskStore {
  /** The latest question with its answers; null: nothing has been asked of this team. */
  exchange = $state.raw<Exchange | null>(null);
  /** What the task's own questions look like; empty until they are known. */
  examples = $state.raw<readonly ExampleQuestion[]>([]);
  /** Why the last question was not answered. */
  trouble = $state.raw<Trouble | null>(null);

  readonly #call: Caller;

  constructor(call: Caller) {
    this.#call = call;
  }

  readonly answering = $derived(this.exchange?.state === 'coming');

  /** Forgets everything: from now on it is another team. */
  clear(): void {
    this.exchange = null;
    this.examples = [];
    this.trouble = null;
  }

  async findExamples(): Promise<void> {
    const reply = await this.#call((service) => service.exampleQuestions());
    if (reply?.ok) this.examples = reply.value;
  }

  /** `iteration`: how many the team has been trained for. */
  async ask(asked: Asked, iteration: number): Promise<void> {
    if (this.answering) return;
    this.trouble = null;
    try {
      checkQuestion(asked);
    } catch (cause) {
      this.trouble = troubleOf(cause);
      return;
    }
    const known = this.examples.find(({ question, secret }) => question === asked.question && secret === asked.secret);
    let latest = (this.exchange = newExchange(asked, iteration, known?.answer ?? null));
    const isShown = (): boolean => this.exchange === latest;
    const show = (next: Exchange): void => {
      // After a reset the answers of the team before belong to nothing on the page.
      if (!isShown()) return;
      latest = this.exchange = next;
    };
    const listener: AnswerListener = (side, news) => show(heard(latest, side, news));
    const reply = await this.#call((service) => service.ask(asked, proxy(listener)));
    if (!isShown() || reply === null) return;
    show({ ...latest, state: reply.ok ? reply.value : 'failed' });
    if (!reply.ok) this.trouble = reply.trouble;
  }

  /** Ends the answers in progress; what was heard of them stays. */
  async stop(): Promise<void> {
    await this.#call(async (service) => {
      await service.stopAnswers();
      return { ok: true, value: null };
    });
  }
}
