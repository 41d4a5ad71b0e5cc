/** Keeps the screen on while a team trains, where the browser can and lets it; where not, nothing is different. */

/** As much of a `WakeLockSentinel` as is needed. */
export interface Sentinel {
  readonly released: boolean;
  release(): Promise<void>;
}

/** As much of the page as is needed. */
export interface Surroundings {
  /** `navigator.wakeLock`; absent in some browsers and on pages that are not secure. */
  wakeLock?: { request(type: 'screen'): Promise<Sentinel> } | undefined;
  document: Pick<Document, 'visibilityState' | 'addEventListener'>;
}

export class ScreenLock {
  readonly #surroundings: Surroundings;
  #wanted = false;
  #held: Sentinel | null = null;
  #asking = false;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    // A browser takes the lock away whenever the page is hidden.
    surroundings.document.addEventListener('visibilitychange', () => void this.#settle());
  }

  /** From now on the screen stays on, or need not. */
  want(wanted: boolean): void {
    this.#wanted = wanted;
    void this.#settle();
  }

  async #settle(): Promise<void> {
    const { wakeLock, document } = this.#surroundings;
    if (this.#asking || !wakeLock) return;
    this.#asking = true;
    const wanted = this.#wanted;
    try {
      if (wanted && document.visibilityState === 'visible') {
        if (this.#held === null || this.#held.released) this.#held = await wakeLock.request('screen');
      }
      if (!wanted && this.#held !== null) {
        const held = this.#held;
        this.#held = null;
        await held.release();
      }
    } catch {
      // Refused, for example because the battery is low: the screen may go dark, and training goes on.
    } finally {
      this.#asking = false;
    }
    // What was wanted may have changed while the browser was being asked.
    if (this.#wanted !== wanted) await this.#settle();
  }
}
