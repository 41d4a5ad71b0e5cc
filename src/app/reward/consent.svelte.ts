/** Code from elsewhere runs once the user has seen it and said so; what the user has written here was seen. */
import { SvelteSet } from 'svelte/reactivity';
import { codeOf, type CarriedCode } from '../../experiment/carried-code.ts';
import type { Experiment } from '../../experiment/schema.ts';

export class ConsentStore {
  /** What is being asked about; null: nothing. */
  asked = $state.raw<readonly CarriedCode[] | null>(null);
  readonly #allowed = new SvelteSet<string>();
  #answer: (yes: boolean) => void = () => undefined;

  /** Until the page is reloaded. */
  allow(code: string): void {
    this.#allowed.add(code);
  }

  /** Whether the experiment's code may run; asks where that is not known. */
  async to(experiment: Experiment): Promise<boolean> {
    const unknown = codeOf(experiment).filter(({ code }) => !this.#allowed.has(code));
    if (unknown.length === 0) return true;
    this.#answer(false);
    this.asked = unknown;
    const yes = await new Promise<boolean>((resolve) => (this.#answer = resolve));
    if (yes) for (const { code } of unknown) this.allow(code);
    return yes;
  }

  answer(yes: boolean): void {
    this.asked = null;
    this.#answer(yes);
    this.#answer = () => undefined;
  }
}
