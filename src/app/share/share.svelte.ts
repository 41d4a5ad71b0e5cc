/** What somebody else shared and this page was given, as an address or a file. Nothing of it happens before the user asks for it. */
import { agreement, type Agreement } from '../../experiment/link/agreement.ts';
import type { Hideable } from '../../experiment/link/parts.ts';
import type { Experiment } from '../../experiment/schema.ts';
import type { OpenedShare } from '../../experiment/link/payload.ts';
import { lockedChange, targetReached } from '../../experiment/link/teaching.ts';
import type { RecordedRun } from '../logic/recorded-run.ts';
import { NAMED } from '../state/draft.svelte.ts';
import type { Playground } from '../state/playground.svelte.ts';
import { troubleOf } from '../trainer/reply.ts';
import type { Trouble } from '../trainer/protocol.ts';

export class ShareStore {
  /** What was opened last; null: nothing, or it was put aside. */
  opened = $state.raw<OpenedShare | null>(null);
  /** Whether the user has taken it over. */
  taken = $state(false);
  /** Why what was opened last could not be read. */
  trouble = $state.raw<Trouble | null>(null);
  /** Six letters and digits that a class can compare; empty for a file. */
  code = $state('');
  /** Whether the dialog for sharing is open. */
  sharing = $state(false);

  readonly #playground: Playground;
  #onAnswer: () => void = () => undefined;
  /** Resolves once nothing waits for the user's answer that the page was opened with. */
  readonly answered = new Promise<void>((resolve) => (this.#onAnswer = resolve));

  constructor(playground: Playground) {
    this.#playground = playground;
  }

  /** Whether something readable was opened that the user has said nothing to yet. */
  readonly waiting = $derived(this.opened !== null && !this.taken);
  readonly results = $derived(this.opened?.parts.results ?? null);
  readonly teaching = $derived(this.taken ? (this.opened?.parts.teaching ?? null) : null);
  /** The shared curve, for the chart; null where there is none or it was not taken. */
  readonly curve = $derived(this.taken ? this.results : null);
  /** How the run on the page compares with the shared one; null where it is another experiment's, or none. */
  readonly agreement: Agreement | null = $derived.by(() => {
    const { run, backend } = this.#playground;
    if (this.curve === null || this.opened === null || backend === null || run.source !== 'live' || run.experiment === null || run.iteration === 0) return null;
    if (JSON.stringify(run.experiment) !== JSON.stringify(this.opened.experiment)) return null;
    return agreement(this.curve, run.rows, backend.kind, run.experiment.schedule.episodes);
  });
  readonly target = $derived.by(() => {
    const { run } = this.#playground;
    return this.teaching === null ? null : targetReached(this.teaching, run.source === 'live' ? run.rows : []);
  });

  hides(part: Hideable): boolean {
    return this.teaching?.h.includes(part) ?? false;
  }

  /** Reads the page's address, now and whenever what stands behind its # changes. Call once. */
  begin(): void {
    void this.#readAddress().then(() => {
      if (!this.waiting) this.#onAnswer();
    });
    addEventListener('hashchange', () => void this.#readAddress());
  }

  async readFile(file: File): Promise<void> {
    await this.#read(async () => {
      const { MAX_FILE, readShareFile } = await import('../../experiment/link/share-file.ts');
      // One byte more than allowed is enough for it to be refused.
      return { opened: readShareFile(new Uint8Array(await file.slice(0, MAX_FILE + 1).arrayBuffer())), code: '' };
    });
  }

  /** Puts the experiment into the controls. */
  take(): void {
    const { draft } = this.#playground;
    if (this.opened === null || this.#playground.busy) return;
    const { experiment, parts } = this.opened;
    const { teaching } = parts;
    draft.guard = null;
    draft.revertTo(experiment, NAMED);
    if (teaching && (teaching.l.length > 0 || teaching.o.length > 0)) draft.guard = (wanted) => lockedChange(experiment, wanted, teaching);
    this.taken = true;
    this.#makeRoom(experiment);
    this.#onAnswer();
  }

  /** The same, then trains it from the beginning, once the user has let the code run that it may carry. */
  async reproduce(): Promise<void> {
    if (!(await this.#takeWithConsent())) return;
    if (this.#playground.run.source === 'live') await this.#playground.reset();
    await this.#playground.train();
  }

  /** Trains a recorded run's experiment as if it had been shared with its results. */
  async repeat({ experiment, metrics }: RecordedRun): Promise<void> {
    if (this.#playground.busy) return;
    await this.#read(async () => {
      const [{ readPayload, writePayload }, { shareResults }] = await Promise.all([import('../../experiment/link/payload.ts'), import('../../experiment/link/shared-results.ts')]);
      const results = shareResults(metrics, 'cpu');
      return { opened: readPayload(JSON.parse(writePayload(experiment, results === null ? {} : { results }))), code: '' };
    });
    await this.reproduce();
  }

  /** The same, and the agents go on from what they had learned. */
  async takeAdapters(): Promise<void> {
    if (!(await this.#takeWithConsent())) return;
    await this.#try(async () => {
      const { adapterUploads } = await import('./adapters.ts');
      if (this.#playground.run.source === 'live') await this.#playground.reset();
      for (const [agent, upload] of adapterUploads(this.opened?.parts.adapters ?? {})) {
        const trouble = await this.#playground.importAdapter(agent, upload);
        if (trouble !== null) {
          this.trouble = trouble;
          return;
        }
      }
    });
  }

  /** Forgets it, locks and hidden parts included, and takes it out of the address. */
  putAside(): void {
    this.opened = null;
    this.trouble = null;
    this.taken = false;
    this.#playground.draft.guard = null;
    this.#onAnswer();
    if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  }

  /** A shared curve says nothing over a recorded run of something else. */
  #makeRoom(experiment: Experiment): void {
    const { run, reading } = this.#playground;
    if (this.results === null || run.source !== 'recorded' || JSON.stringify(run.experiment) === JSON.stringify(experiment)) return;
    run.forget();
    reading.clear();
  }

  async #takeWithConsent(): Promise<boolean> {
    if (this.opened === null || this.#playground.busy) return false;
    const { experiment } = this.opened;
    this.take();
    return this.#playground.consent.to(experiment);
  }

  async #readAddress(): Promise<void> {
    const { hash } = location;
    if (!hash.startsWith('#x=')) return;
    await this.#read(async () => {
      const [{ decodeLink }, { classCode }] = await Promise.all([import('../../experiment/link/link.ts'), import('../../experiment/link/teaching.ts')]);
      return { opened: decodeLink(hash), code: classCode(hash) };
    });
  }

  async #read(read: () => Promise<{ opened: OpenedShare; code: string }>): Promise<void> {
    this.opened = null;
    this.taken = false;
    this.#playground.draft.guard = null;
    // Where the card is.
    this.#playground.view = 'playground';
    await this.#try(async () => {
      const { opened, code } = await read();
      this.opened = opened;
      this.code = code;
    });
    if (!this.waiting) this.#onAnswer();
  }

  async #try(work: () => Promise<void>): Promise<void> {
    this.trouble = null;
    try {
      await work();
    } catch (cause) {
      this.trouble = troubleOf(cause);
    }
  }
}
