/**
 * HAPPO's factor (arXiv 2109.11251, equation 11; HARL, 2304.09870): an agent that is updated after others weighs each episode by how
 * much likelier those others have since made what they said in it.
 */
import { at } from './arrays.ts';
import { utterancesOf, type Episode } from './rollout.ts';
import type { AlgorithmSettings } from './settings.ts';

type HappoSettings = Pick<AlgorithmSettings, 'happo' | 'happoClip'>;

/** The product over the agents updated so far, by episode. */
export class HappoFactor {
  readonly #logs: Float64Array;

  constructor(
    private readonly episodes: readonly Episode[],
    private readonly settings: HappoSettings,
  ) {
    this.#logs = new Float64Array(episodes.length);
  }

  /** An agent's step is done: its tokens' log-probs before and after it, `[utterances][tokens]`; null after: it has not moved. */
  multiply(agent: number, before: readonly Float32Array[], after: readonly Float32Array[] | null): void {
    if (after === null || this.settings.happo === 'off') return;
    let slot = 0;
    this.episodes.forEach(({ utterances }, episode) => {
      let log = 0;
      let tokens = 0;
      for (const utterance of utterances) {
        if (utterance.agent !== agent) continue;
        const [old, now] = [at(before, slot), at(after, slot)];
        old.forEach((logprob, t) => (log += at(now, t) - logprob));
        tokens += old.length;
        slot++;
      }
      this.#logs[episode] = at(this.#logs, episode) + (this.settings.happo === 'length' ? log / Math.max(1, tokens) : log);
    });
  }

  /** F of each of an agent's utterances, clipped to [1 − c, 1 + c], `[utterances]`; null while it is 1 everywhere. */
  of(agent: number): Float64Array | null {
    if (this.settings.happo === 'off') return null;
    const { happoClip } = this.settings;
    const factors = Float64Array.from(this.#logs, (log) => Math.min(1 + happoClip, Math.max(1 - happoClip, Math.exp(log))));
    return Float64Array.from(
      this.episodes.flatMap((episode, k) => utterancesOf([episode], agent).map(() => at(factors, k))),
    );
  }
}
