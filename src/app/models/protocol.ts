/** What the page and the worker that sees to models say to each other. */
import type { HubId } from '../../checkpoint/hub-id.ts';
import type { FetchProgress, StoredModel } from '../../checkpoint/stored-models.ts';
import type { Device, MemoryReport } from '../../experiment/model-report.ts';
import type { Experiment } from '../../experiment/schema.ts';
import type { Reply, Trouble } from '../trainer/protocol.ts';

export interface HubReport {
  /** `owner/name`. */
  repository: string;
  /** What the revision means now: 40 hexadecimal digits. */
  commit: string;
  memory: MemoryReport;
  /** Bytes of all files that training needs, and of those that are not stored yet. */
  bytes: number;
  missing: number;
  /** Why nothing can be stored in this browser, or not so much; null when it can. */
  storage: Trouble | null;
}

export interface StoredModels {
  models: StoredModel[];
  /** Bytes that the browser would still give this page; null where it does not say. */
  room: number | null;
}

/** What is asked of a model: for which experiment and device, and how many bytes of memory a run may take. */
export interface Wish {
  experiment: Experiment;
  device: Device;
  budget: number;
}

export interface ModelsService {
  /** Asks the Hub what the model is and reads its config.json, nothing more; but for a list of shards where it has one. */
  inspectHub(id: HubId, wish: Wish, token: string | null): Promise<Reply<HubReport>>;
  /** Reads the user's files, of the weights only where each tensor lies. */
  inspectFiles(files: readonly File[], wish: Wish): Promise<Reply<MemoryReport>>;
  /** Fetches and stores what is missing, until it is done or `stop` is called; then the trouble says that it was stopped. */
  download(id: HubId, token: string | null, listener: (progress: FetchProgress) => void): Promise<Reply<null>>;
  /** Ends the download in progress, and resolves when it has ended; what has come is kept. */
  stop(): Promise<void>;
  stored(): Promise<Reply<StoredModels>>;
  /** Deletes a version; a download in progress is stopped. */
  remove(model: Pick<StoredModel, 'repository' | 'commit'>): Promise<Reply<null>>;
}
