/** Large type for a projector, with what is secondary out of the way; kept in this browser. `public/theme.js` applies it before first paint. */

const KEY = 'marft-presentation';

export class PresentationStore {
  on = $state('presentation' in document.documentElement.dataset);
  /** Whether it was this that made the page fill the screen. */
  #fillsScreen = false;

  toggle(): void {
    this.#set(!this.on);
    if (this.on) void this.#fillScreen();
    else void this.#giveScreenBack();
  }

  leave(): void {
    if (this.on) this.toggle();
  }

  /** Escape leaves it, unless a dialog takes the key for itself. */
  onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !event.defaultPrevented && document.querySelector('dialog[open]') === null) this.leave();
  }

  /** A browser that fills the screen keeps the Escape key for itself. */
  onFullscreenChange(): void {
    if (document.fullscreenElement !== null || !this.#fillsScreen) return;
    this.#fillsScreen = false;
    this.leave();
  }

  #set(on: boolean): void {
    const { dataset } = document.documentElement;
    if (on) dataset.presentation = '';
    else delete dataset.presentation;
    this.on = on;
    try {
      if (on) localStorage.setItem(KEY, 'on');
      else localStorage.removeItem(KEY);
    } catch {
      // Storage is refused: the choice lasts until the page is closed.
    }
  }

  async #fillScreen(): Promise<void> {
    try {
      await document.documentElement.requestFullscreen();
      this.#fillsScreen = true;
    } catch {
      // Not every browser, and not every frame, may fill the screen; large type helps all the same.
    }
  }

  async #giveScreenBack(): Promise<void> {
    if (!this.#fillsScreen) return;
    this.#fillsScreen = false;
    try {
      await document.exitFullscreen();
    } catch {
      // It has been left already.
    }
  }
}

/** One page, one presentation. */
export const presentation = new PresentationStore();
