/** The gallery: runs and sweeps that were made beforehand, to be looked at, held against each other and done again. */
import { PRESETS, type Preset } from '../../experiment/presets.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { fetchRecordedRun, type RecordedRun } from '../logic/recorded-run.ts';
import { runsOf } from '../runs/api.ts';
import type { Playground } from '../state/playground.svelte.ts';
import { troubleOf } from '../trainer/reply.ts';
import type { Trouble } from '../trainer/protocol.ts';
import { fetchAblation, type Ablation } from './ablations.ts';
import { fetchRecordedList, recordedAddress, type Recorded } from './recorded-list.ts';

export interface Exhibit extends Recorded {
  of: Preset;
}

export class GalleryStore {
  /** In the order of the presets; null while they are being fetched. */
  exhibits = $state.raw<readonly Exhibit[] | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  /** What is being fetched; null: nothing. */
  fetching = $state<string | null>(null);

  readonly playground: Playground;

  constructor(playground: Playground) {
    this.playground = playground;
  }

  async read(): Promise<void> {
    await this.#try('', async () => {
      const list = await fetchRecordedList(this.playground.address.recordedRun);
      this.exhibits = PRESETS.flatMap((of) => list.filter(({ preset }) => preset === of.name).map((one) => ({ ...one, of })));
    });
    this.exhibits ??= [];
  }

  /** Shows the run as it was recorded; nothing is started. */
  async open({ preset }: Exhibit): Promise<void> {
    await this.#try(preset, async () => this.playground.show(await this.#run(preset), null));
  }

  /** Trains the run's experiment here, over the recorded curve. */
  async reproduce({ preset }: Exhibit): Promise<void> {
    await this.#try(preset, async () => {
      const run = await this.#run(preset);
      this.playground.view = 'playground';
      await this.playground.share.repeat(run);
    });
  }

  /** Shows a sweep's results under Runs → Compare. */
  async compare(ablation: Ablation): Promise<void> {
    await this.#try(ablation.name, async () => {
      const document = await fetchAblation(ablation);
      const runs = await runsOf(this.playground);
      runs.mode = 'compare';
      this.playground.view = 'runs';
      await runs.compare.showSweep(document);
    });
  }

  async #run(preset: string): Promise<RecordedRun> {
    const run = await fetchRecordedRun(recordedAddress(this.playground.address.recordedRun, preset));
    if (run === null) throw new PlaygroundError('recorded-missing', 'The recorded run could not be loaded.', 'Check the connection and try again.');
    return run;
  }

  async #try(what: string, work: () => Promise<void>): Promise<void> {
    this.trouble = null;
    this.fetching = what;
    try {
      await work();
    } catch (error) {
      this.trouble = troubleOf(error);
    }
    this.fetching = null;
  }
}
