import { describe, expect, it } from 'vitest';
import { ScreenLock, type Sentinel, type Surroundings } from '../../../src/app/state/screen-lock.ts';

/** A browser with a screen to keep on. */
class Browser implements Surroundings {
  visibilityState: DocumentVisibilityState = 'visible';
  readonly locks: { released: boolean; release(): Promise<void> }[] = [];
  refuses = false;
  #listener: () => void = () => undefined;

  readonly wakeLock = {
    request: (): Promise<Sentinel> => {
      if (this.refuses) return Promise.reject(new DOMException('no', 'NotAllowedError'));
      const lock = { released: false, release: () => Promise.resolve(void (lock.released = true)) };
      this.locks.push(lock);
      return Promise.resolve(lock);
    },
  };

  get document(): Surroundings['document'] {
    const visibility = (): DocumentVisibilityState => this.visibilityState;
    return {
      get visibilityState() {
        return visibility();
      },
      addEventListener: (_: string, listener: unknown) => {
        this.#listener = listener as () => void;
      },
    };
  }

  /** As a browser does it: a hidden page loses its lock. */
  async show(visibilityState: DocumentVisibilityState): Promise<void> {
    this.visibilityState = visibilityState;
    if (visibilityState === 'hidden') this.locks.forEach((lock) => (lock.released = true));
    this.#listener();
    await settled();
  }

  get held(): number {
    return this.locks.filter(({ released }) => !released).length;
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe('the screen', () => {
  it('is kept on while that is wanted, with one lock however often it is said', async () => {
    const browser = new Browser();
    const lock = new ScreenLock(browser);
    lock.want(true);
    lock.want(true);
    await settled();
    lock.want(true);
    await settled();
    expect([browser.held, browser.locks.length]).toEqual([1, 1]);
    lock.want(false);
    await settled();
    expect(browser.held).toBe(0);
  });

  it('is kept on again when the page comes back, unless that is no longer wanted', async () => {
    const browser = new Browser();
    const lock = new ScreenLock(browser);
    lock.want(true);
    await settled();
    await browser.show('hidden');
    expect(browser.held).toBe(0);
    await browser.show('visible');
    expect(browser.held).toBe(1);
    await browser.show('hidden');
    lock.want(false);
    await browser.show('visible');
    expect(browser.held).toBe(0);
  });

  it('is not kept on by a page that is hidden from the beginning', async () => {
    const browser = new Browser();
    browser.visibilityState = 'hidden';
    new ScreenLock(browser).want(true);
    await settled();
    expect(browser.locks).toEqual([]);
  });

  it('is let go when training pauses while the browser is still being asked', async () => {
    const browser = new Browser();
    const lock = new ScreenLock(browser);
    lock.want(true);
    lock.want(false);
    await settled();
    expect(browser.held).toBe(0);
    lock.want(true);
    await settled();
    lock.want(false);
    lock.want(true);
    await settled();
    expect(browser.held).toBe(1);
  });

  it('goes dark without complaint where the browser refuses or knows no such thing, and is asked for again', async () => {
    const browser = new Browser();
    browser.refuses = true;
    const lock = new ScreenLock(browser);
    lock.want(true);
    await settled();
    browser.refuses = false;
    await browser.show('visible');
    expect(browser.held).toBe(1);
    const without = new ScreenLock({ document: browser.document });
    without.want(true);
    without.want(false);
    await settled();
  });
});
