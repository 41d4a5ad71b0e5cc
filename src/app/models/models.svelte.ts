/** What the page knows of models: which could be trained, what they take, what is stored, and a download in progress. */
import { proxy } from 'comlink';
import { parseHubId, showHubId, type HubId } from '../../checkpoint/hub-id.ts';
import type { StoredModel } from '../../checkpoint/stored-models.ts';
import { modelString, type EmbeddedModel } from '../../experiment/model.ts';
import type { Device, MemoryReport } from '../../experiment/model-report.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { TransferRate } from '../logic/transfer-rate.ts';
import type { DraftStore } from '../state/draft.svelte.ts';
import type { ModelTerms, Reply, Trouble } from '../trainer/protocol.ts';
import { ModelsClient } from './client.ts';
import type { HubReport, StoredModels, Wish } from './protocol.ts';
import { completeSignIn, leaveForSignIn, type SignInReturn } from './sign-in.ts';
import { TokenStore } from './token.svelte.ts';

/** A download: how much has come, and whether it goes on. */
export interface Download {
  id: HubId;
  state: 'running' | 'paused';
  received: number;
  /** 0 while it is not known. */
  total: number;
  bytesPerSecond: number | null;
}

/** The embedded model whose tokenizer reckons lengths while a model's own is not there. */
const STAND_IN: EmbeddedModel = 'marft-tiny';
export const SMALLEST_BUDGET = 0.1;
export const LARGEST_BUDGET = 1000;
/** GB that a computer is taken to have where the browser does not say. */
const USUAL_MEMORY = 4;

export class ModelsStore {
  readonly token = new TokenStore();
  /** Whether models are being chosen. */
  choosing = $state(false);
  /** What is typed as the Hub's model. */
  wanted = $state('');
  /** What trains here; as long as that is not known, a processor. */
  device = $state.raw<Device>({ kind: 'wasm', halfPrecision: true, limits: { total: Infinity, tensor: Infinity } });
  /** GB of memory that a run may take. */
  budget = $state(defaultBudget());
  /** What is being read, in words; null when nothing is. */
  reading = $state<string | null>(null);
  hub = $state.raw<HubReport | null>(null);
  files = $state.raw<{ files: readonly File[]; report: MemoryReport } | null>(null);
  download = $state.raw<Download | null>(null);
  stored = $state.raw<StoredModels | null>(null);
  /** What went wrong last, and with what. */
  trouble = $state.raw<(Trouble & { about: 'hub' | 'files' | 'stored' }) | null>(null);

  #client: ModelsClient | null = null;

  constructor(
    private readonly draft: DraftStore,
    /** The address of the page's own models, ending in `/`. */
    private readonly embedded: string,
  ) {}

  /** On what terms the trainer opens a model that does not come with the page. */
  get terms(): ModelTerms {
    return { memoryLimit: this.budget * 1e9, token: this.token.value };
  }

  /** Leaves the page for the Hub; `comeBack` goes on after the return. */
  async signIn(clientId: string, privateModels: boolean): Promise<void> {
    this.trouble = null;
    try {
      await leaveForSignIn(clientId, this.wanted, { privateModels }, document.baseURI);
    } catch {
      this.trouble = { message: 'The sign-in could not begin, because this browser keeps nothing for the page.', hint: 'Allow the page to store data, or use an access token.', about: 'hub' };
    }
  }

  /** Finishes a sign-in, and looks at the model for which it was begun. */
  async comeBack(from: SignInReturn): Promise<void> {
    this.choosing = true;
    this.wanted = from.model;
    this.reading = 'Finishing the sign-in …';
    try {
      this.token.signIn(await completeSignIn(from));
    } catch (error) {
      if (!(error instanceof PlaygroundError)) throw error;
      this.trouble = { message: error.message, hint: error.hint, about: 'hub' };
      return;
    } finally {
      this.reading = null;
    }
    if (from.model.trim() !== '') await this.lookUp(from.model);
  }

  /** Out of bounds: false, and nothing changes. What has been looked at is reckoned anew. */
  setBudget(budget: number): boolean {
    if (!(budget >= SMALLEST_BUDGET && budget <= LARGEST_BUDGET)) return false;
    this.budget = budget;
    void this.reckonAgain();
    return true;
  }

  /** Asks the Hub for the model that is written like `owner/name@revision`. */
  async lookUp(text: string): Promise<void> {
    this.hub = null;
    this.trouble = null;
    try {
      await this.#inspectHub(parseHubId(text.trim()));
    } catch (error) {
      if (!(error instanceof PlaygroundError)) throw error;
      this.trouble = { message: error.message, hint: error.hint, about: 'hub' };
    }
  }

  async lookAtFiles(files: readonly File[]): Promise<void> {
    this.files = null;
    this.trouble = null;
    if (files.length === 0) return;
    const report = await this.#read('files', 'Reading the files …', (client) => client.call((service) => service.inspectFiles(files, this.#wish())));
    if (report) this.files = { files, report };
  }

  /** For another experiment or budget; the Hub is not asked again. */
  async reckonAgain(): Promise<void> {
    if (this.hub) await this.#inspectHub({ repository: this.hub.repository, revision: this.hub.commit });
    if (this.files) await this.lookAtFiles(this.files.files);
  }

  /** Fetches what is missing, or goes on with it. */
  async fetch(id: HubId): Promise<void> {
    if (this.download?.state === 'running') return;
    // So that the browser does not clear it when room gets short; where it refuses, nothing is lost.
    void navigator.storage.persist().catch(() => false);
    const rate = new TransferRate();
    const show = (received: number, total: number): void => {
      rate.add(performance.now() / 1000, received);
      this.download = { id, state: 'running', received, total, bytesPerSecond: rate.bytesPerSecond() };
    };
    this.trouble = null;
    this.download = { id, state: 'running', received: this.download?.received ?? 0, total: this.download?.total ?? 0, bytesPerSecond: null };
    const listener = proxy(({ received, total }: { received: number; total: number }) => {
      // A late event of a download that was paused belongs to nothing.
      if (this.download?.state === 'running') show(received, total);
    });
    const reply = await this.#worker().call((service) => service.download(id, this.token.value, listener));
    if (reply.ok) this.download = null;
    else if (this.download?.state === 'running') {
      this.download = { ...this.download, state: 'paused', bytesPerSecond: null };
      this.trouble = { ...reply.trouble, about: 'hub' };
    }
    await this.#afterChange();
  }

  pause(): void {
    if (this.download) this.download = { ...this.download, state: 'paused', bytesPerSecond: null };
    this.#worker().stop();
  }

  /** Ends the download and deletes what has come. */
  async cancel(): Promise<void> {
    const { download } = this;
    if (!download) return;
    this.pause();
    this.download = null;
    await this.remove({ repository: download.id.repository, commit: download.id.revision });
  }

  async remove(model: Pick<StoredModel, 'repository' | 'commit'>): Promise<void> {
    if (this.download?.id.repository === model.repository) this.download = null;
    const reply = await this.#worker().call((service) => service.remove(model));
    if (!reply.ok) this.trouble = { ...reply.trouble, about: 'stored' };
    await this.#afterChange();
  }

  async listStored(): Promise<void> {
    const reply = await this.#worker().call((service) => service.stored());
    if (reply.ok) this.stored = reply.value;
    else this.trouble = { ...reply.trouble, about: 'stored' };
  }

  useEmbedded(name: EmbeddedModel): void {
    this.draft.chooseModel(name);
  }

  /** From what is stored, or, without being stored, straight from the Hub. */
  useHub({ repository, commit }: Pick<StoredModel, 'repository' | 'commit'>, access: 'named' | 'direct'): void {
    this.draft.chooseModel(modelString({ kind: 'hub', id: { repository, revision: commit } }), { kind: access });
  }

  useFiles(): void {
    if (this.files) this.draft.chooseFiles(this.files.files);
  }

  async #afterChange(): Promise<void> {
    await this.listStored();
    if (this.hub) await this.#inspectHub({ repository: this.hub.repository, revision: this.hub.commit });
  }

  async #inspectHub(id: HubId): Promise<void> {
    const report = await this.#read('hub', `Asking the Hub for ${showHubId(id)} …`, (client) =>
      client.call((service) => service.inspectHub(id, this.#wish(), this.token.value)),
    );
    if (report) this.hub = report;
  }

  async #read<T>(about: 'hub' | 'files', words: string, request: (client: ModelsClient) => Promise<Reply<T>>): Promise<T | null> {
    this.reading = words;
    const reply = await request(this.#worker());
    this.reading = null;
    if (reply.ok) return reply.value;
    this.trouble = { ...reply.trouble, about };
    return null;
  }

  #wish(): Wish {
    return { experiment: this.draft.experiment, device: this.device, budget: this.budget * 1e9 };
  }

  #worker(): ModelsClient {
    this.#client ??= new ModelsClient(`${this.embedded}${STAND_IN}/`, () => (this.#client = null));
    return this.#client;
  }
}

/** Half of what the browser says the computer has, which it rounds down to 8 at most. */
function defaultBudget(): number {
  const told = 'deviceMemory' in navigator ? navigator.deviceMemory : undefined;
  return (typeof told === 'number' ? told : USUAL_MEMORY) / 2;
}
