/** What the end-to-end tests share: a page that fails its test on any error, and the words of its controls. */
import { expect, test as base, type Locator, type Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import type { Experiment } from '../../src/experiment/schema.ts';
import type { EpisodeRecord, MetricRow } from '../../src/marft/records.ts';

interface Fixtures {
  /** Console messages and failed requests that a test brings about on purpose. */
  expectedErrors: RegExp;
  playground: PlaygroundPage;
}

/** What Playwright says where no service worker is allowed. */
export const WORKER_BLOCKED = 'Service Worker registration blocked by Playwright';

export const test = base.extend<Fixtures>({
  expectedErrors: [/(?!)/, { option: true }],
  playground: async ({ page, baseURL, expectedErrors }, use) => {
    const complaints: string[] = [];
    const complain = (text: string): void => {
      if (!expectedErrors.test(text) && !text.includes(WORKER_BLOCKED)) complaints.push(text);
    };
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complain(`console: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => complain(`page error: ${error.message}`));
    page.on('requestfailed', (request) => complain(`failed request: ${request.url()}`));
    page.context().on('request', (request) => {
      const url = new URL(request.url());
      const local = url.protocol === 'blob:' || url.protocol === 'data:' || url.origin === new URL(baseURL ?? '').origin;
      if (!local) complain(`request to elsewhere: ${request.url()}`);
    });
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        console.error(`policy violation: ${violatedDirective} ${blockedURI}`);
      });
    });
    await use(new PlaygroundPage(page));
    expect(complaints, 'errors, policy violations and requests to elsewhere').toEqual([]);
  },
});

export { expect };

/** What "Download this run" writes. */
export interface RunDocument {
  experiment: Experiment;
  metrics: MetricRow[];
  episodes: EpisodeRecord[];
}

export class PlaygroundPage {
  readonly train: Locator;
  readonly pause: Locator;
  readonly oneIteration: Locator;
  readonly reset: Locator;
  readonly preset: Locator;
  readonly iterations: Locator;
  readonly seed: Locator;
  readonly status: Locator;
  readonly iteration: Locator;
  readonly trouble: Locator;
  readonly inspector: Locator;

  constructor(readonly page: Page) {
    const controls = page.getByRole('region', { name: 'Training controls' });
    this.train = controls.getByRole('button', { name: /^(Train|Go on|Train again)$/ });
    this.pause = controls.getByRole('button', { name: 'Pause' });
    this.oneIteration = controls.getByRole('button', { name: 'One iteration' });
    this.reset = controls.getByRole('button', { name: 'Reset' });
    this.preset = controls.getByLabel('Preset');
    this.iterations = controls.getByRole('spinbutton', { name: 'Iterations' });
    this.seed = controls.getByRole('spinbutton', { name: 'Seed' });
    this.status = page.getByTestId('status');
    this.iteration = page.getByTestId('iteration');
    this.trouble = page.getByTestId('trouble');
    this.inspector = page.getByTestId('inspector');
  }

  async open(address = './'): Promise<void> {
    await this.page.goto(address);
    await expect(this.page.getByRole('heading', { level: 1 })).toHaveText('MARFT Playground');
  }

  /** Takes the settings as they stand for a new run; where there is no run yet they hold anyway. */
  async startOver(): Promise<void> {
    if (await this.reset.isEnabled()) await this.reset.click();
  }

  async set(field: Locator, value: number): Promise<void> {
    await field.fill(String(value));
    await field.blur();
  }

  /** A token of the open episode. */
  token(utterance: number, token: number): Locator {
    return this.page.locator(`[data-utterance="${utterance}"][data-token="${token}"]`);
  }

  /** A number of the inspector as it is written there. */
  figure(name: string): Locator {
    return this.inspector.locator(`[data-figure="${name}"]`);
  }

  /** The run on the page as the data behind it. */
  async downloadRun(): Promise<RunDocument> {
    const waiting = this.page.waitForEvent('download');
    await this.page.getByRole('button', { name: 'Download this run' }).click();
    const file = await (await waiting).path();
    return JSON.parse(await readFile(file, 'utf8')) as RunDocument;
  }
}

/** A number as the page writes it: three decimals and a real minus sign. */
export function written(value: number): string {
  return value.toFixed(3).replace(/^-(0\.000)$/, '$1').replace('-', '−');
}

/** The same with its sign. */
export function writtenSigned(value: number): string {
  return Number(value.toFixed(3)) > 0 ? `+${written(value)}` : written(value);
}

/** What sticks out of the page, or of an open dialog, to the right and can't be scrolled to: elements, by their words. */
export function sticksOut(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const frames = [document.documentElement, ...document.querySelectorAll<HTMLElement>('dialog[open]')];
    return frames
      .filter((frame) => frame.scrollWidth > frame.clientWidth + 1)
      .flatMap((frame) => {
        const edge = frame === document.documentElement ? frame.clientWidth : frame.getBoundingClientRect().right;
        const scrolls = (element: Element): boolean => {
          for (let parent = element.parentElement; parent && parent !== frame; parent = parent.parentElement) {
            if (/auto|scroll|hidden|clip/.test(getComputedStyle(parent).overflowX)) return true;
          }
          return false;
        };
        const out = [...frame.querySelectorAll('*')].filter((element) => element.getBoundingClientRect().right > edge + 1 && !scrolls(element));
        return [`${frame.scrollWidth} px in ${frame.clientWidth} px`, ...out.slice(-12).map((element) => `${element.tagName} ${element.getAttribute('class') ?? ''} ${Math.round(element.getBoundingClientRect().right)}: ${(element.textContent ?? '').trim().slice(0, 50)}`)];
      });
  });
}
