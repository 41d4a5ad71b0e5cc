/** The comparison on the page: which groups, and what the statistics worker says of them. */
import { groupRuns, settingsTable, type ComparedRun, type Comparison, type Group, type Quantity } from '../../experiment/compare-runs.ts';
import { parseResults } from '../../experiment/sweep-results.ts';
import type { WholeRun } from '../../run-store/run-library.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { troubleOf } from '../trainer/reply.ts';
import type { Trouble } from '../trainer/protocol.ts';
import { comparedRun, groupsOfSweep } from './compared.ts';
import { distinctLabel, MAX_SHARED, sharedRun, type Offered } from './shared-runs.ts';
import { Statistician } from './statistician.ts';

/** A file of results larger than this is none. */
const MAX_FILE = 2 ** 28;

export class CompareStore {
  groups = $state.raw<readonly Group[]>([]);
  result = $state.raw<Comparison | null>(null);
  /** Whether a result is on its way. */
  working = $state(false);
  trouble = $state.raw<Trouble | null>(null);
  /** Why something that was shared could not be added, a sentence each. */
  refused = $state.raw<readonly string[]>([]);
  /** The group that the others are held against. */
  reference = $state(0);
  quantity = $state<Quantity>('final');
  /** Whether every seed's own curve is drawn. */
  everySeed = $state(false);
  /** What is asked of the worker last counts. */
  #asked = 0;
  #statistician: Statistician | null = null;

  readonly settings = $derived(settingsTable(this.groups.flatMap(({ runs: [first] }) => (first ? [first.experiment] : []))));

  async showRuns(runs: readonly WholeRun[]): Promise<void> {
    await this.#show(groupRuns(runs.map(comparedRun)));
  }

  /** More runs beside those that are there. */
  async add(runs: readonly ComparedRun[]): Promise<void> {
    await this.#show([...this.groups, ...groupRuns(runs)]);
  }

  async showSweep(document: unknown): Promise<void> {
    await this.#try(() => this.#show(groupsOfSweep(parseResults(document))));
  }

  /** What others have shared, each as a group of its own beside those that are there; what cannot be taken is told of by name. */
  async addShared(offered: readonly Offered[]): Promise<void> {
    this.refused = [];
    const groups: Group[] = [];
    const refused: string[] = [];
    for (const { name, open } of offered) {
      try {
        if (groups.length >= MAX_SHARED) throw new PlaygroundError('too-many', `More than ${MAX_SHARED} at once cannot be told apart.`, 'Add it later.');
        const label = distinctLabel(name, [...this.groups, ...groups]);
        groups.push({ label, runs: [sharedRun(label, await open())] });
      } catch (error) {
        const { message, hint } = troubleOf(error);
        refused.push(`${name}: ${message} ${hint}`);
      }
    }
    this.refused = refused;
    if (groups.length > 0) await this.#show([...this.groups, ...groups]);
  }

  /** Nothing is compared any more. */
  async clear(): Promise<void> {
    this.refused = [];
    await this.#show([]);
  }

  /** `sweep.json` of the command line or of this page. */
  async loadFile(file: File): Promise<void> {
    await this.#try(async () => {
      if (file.size > MAX_FILE) throw new PlaygroundError('sweep-invalid', 'The file is larger than any sweep’s results.', 'Choose a sweep.json.');
      await this.#show(groupsOfSweep(parseResults(parseJson(await file.text()))));
    });
  }

  async #show(groups: readonly Group[]): Promise<void> {
    const asked = ++this.#asked;
    this.groups = groups;
    this.result = null;
    this.reference = 0;
    this.working = groups.length > 0;
    if (groups.length === 0) return;
    await this.#try(async () => {
      this.#statistician ??= new Statistician(() => (this.#statistician = null));
      const result = await this.#statistician.compare(groups);
      if (asked === this.#asked) this.result = result;
    });
    if (asked === this.#asked) this.working = false;
  }

  async #try(work: () => Promise<void>): Promise<void> {
    this.trouble = null;
    try {
      await work();
    } catch (error) {
      this.trouble = troubleOf(error);
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PlaygroundError('sweep-invalid', 'The file is not JSON.', 'Choose the sweep.json that a sweep wrote.', { cause });
  }
}
