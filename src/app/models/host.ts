/** The worker's end: what models are, what they take, and their download. A worker of its own, so that it goes on while training. */
import { openChosenFiles } from '../../checkpoint/chosen-files.ts';
import { openHttp } from '../../checkpoint/http-source.ts';
import { openCachedHub } from '../../checkpoint/hub-cache.ts';
import type { HubOptions } from '../../checkpoint/hub-client.ts';
import type { HubId } from '../../checkpoint/hub-id.ts';
import { findRevision, openHub } from '../../checkpoint/hub-source.ts';
import { openOpfs, type OpfsStorage } from '../../checkpoint/opfs-storage.ts';
import { neededFiles, openWeights, readConfig, readTextFiles } from '../../checkpoint/repository.ts';
import { fetchModel, listStoredModels, missingBytes, removeStoredModel, type FetchProgress, type StoredModel } from '../../checkpoint/stored-models.ts';
import { reportMemory, type MemoryReport } from '../../experiment/model-report.ts';
import { parseQwenConfig } from '../../qwen/config.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { createChatTokenizer } from '../../tokenizer/chat-tokenizer.ts';
import type { ChatTokenizer } from '../../tokenizer/types.ts';
import type { Reply, Trouble } from '../trainer/protocol.ts';
import { reply, troubleOf } from '../trainer/reply.ts';
import type { HubReport, ModelsService, StoredModels, Wish } from './protocol.ts';

/** Milliseconds between two tidings of a download. */
const PROGRESS_EVERY = 100;

export class ModelsHost implements ModelsService {
  /** The last download; `ended` is never rejected. */
  #download: { controller: AbortController; ended: Promise<void> } | null = null;
  #tokenizer: Promise<ChatTokenizer> | null = null;

  /** `standIn` is the address of the embedded model whose tokenizer reckons lengths while a model's own is not there. */
  constructor(private readonly standIn: string) {}

  inspectHub(id: HubId, { experiment, device, budget }: Wish, token: string | null): Promise<Reply<HubReport>> {
    return reply(async () => {
      const options = hubOptions(token);
      const { storage, refusal } = await storageOrRefusal();
      const { source, manifest } = storage ? await openCachedHub(id, options, storage) : await openUnstored(id, options);
      const config = await readConfig(source);
      // Before anything else is asked for.
      parseQwenConfig(config);
      const needed = await neededFiles(source, new Set(manifest.files.keys()));
      const memory = reportMemory(experiment, config, await this.#standInTokenizer(), device, budget);
      const bytes = needed.reduce((sum, path) => sum + (manifest.files.get(path)?.bytes ?? 0), 0);
      const missing = storage ? await missingBytes(needed, manifest, options, storage) : bytes;
      const room = await roomLeft();
      const full = room !== null && missing > room ? NO_ROOM : null;
      return { repository: manifest.repository, commit: manifest.commit, memory, bytes, missing, storage: refusal ?? full };
    });
  }

  inspectFiles(files: readonly File[], { experiment, device, budget }: Wish): Promise<Reply<MemoryReport>> {
    return reply(async () => {
      const source = openChosenFiles(files);
      const config = await readConfig(source);
      parseQwenConfig(config);
      const tokenizer = createChatTokenizer(await readTextFiles(source));
      await openWeights(source);
      return reportMemory(experiment, config, tokenizer, device, budget);
    });
  }

  download(id: HubId, token: string | null, listener: (progress: FetchProgress) => void): Promise<Reply<null>> {
    return reply(async () => {
      await this.stop();
      const controller = new AbortController();
      let told = Number.NEGATIVE_INFINITY;
      const work = fetchModel(id, { ...hubOptions(token), signal: controller.signal }, await openOpfs(), (progress) => {
        const now = performance.now();
        if (now - told < PROGRESS_EVERY && progress.received < progress.total) return;
        told = now;
        listener(progress);
      });
      this.#download = { controller, ended: work.catch(() => undefined) };
      await work;
      return null;
    });
  }

  async stop(): Promise<void> {
    this.#download?.controller.abort();
    await this.#download?.ended;
  }

  stored(): Promise<Reply<StoredModels>> {
    return reply(async () => {
      const { storage } = await storageOrRefusal();
      return { models: storage ? await listStoredModels({}, storage) : [], room: await roomLeft() };
    });
  }

  remove(model: Pick<StoredModel, 'repository' | 'commit'>): Promise<Reply<null>> {
    return reply(async () => {
      // Files that are being written cannot be deleted.
      await this.stop();
      await removeStoredModel(model, {}, await openOpfs());
      return null;
    });
  }

  #standInTokenizer(): Promise<ChatTokenizer> {
    this.#tokenizer ??= readTextFiles(openHttp(this.standIn)).then(createChatTokenizer);
    // A failure must not be what the next attempt finds.
    this.#tokenizer.catch(() => (this.#tokenizer = null));
    return this.#tokenizer;
  }
}

const NO_ROOM: Trouble = {
  message: 'The browser does not give this page so much room to store files.',
  hint: 'Delete stored models that you no longer need, make room on the disk, or use the model without storing it.',
};

function hubOptions(token: string | null): HubOptions {
  return { token: token ?? undefined };
}

async function openUnstored(id: HubId, options: HubOptions): Promise<Pick<Awaited<ReturnType<typeof openCachedHub>>, 'source' | 'manifest'>> {
  const manifest = await findRevision(id, options);
  return { source: openHub(manifest, options), manifest };
}

async function storageOrRefusal(): Promise<{ storage: OpfsStorage; refusal: null } | { storage: null; refusal: Trouble }> {
  try {
    return { storage: await openOpfs(), refusal: null };
  } catch (error) {
    if (error instanceof PlaygroundError) return { storage: null, refusal: troubleOf(error) };
    throw error;
  }
}

async function roomLeft(): Promise<number | null> {
  // Pages that are not secure have no storage.
  if (!('storage' in navigator)) return null;
  const { quota, usage } = await navigator.storage.estimate();
  return quota === undefined || usage === undefined ? null : Math.max(0, quota - usage);
}
