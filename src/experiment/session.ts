/**
 * From an experiment to a trainer that can run: the one place where task, model, tokenizer and algorithm meet. The page's
 * worker and the command line both start here, each with its own backend and source of files.
 */
import { adapterFiles } from '../checkpoint/peft.ts';
import { openWeights, readConfig, readTextFiles } from '../checkpoint/repository.ts';
import type { FileSource } from '../checkpoint/source.ts';
import { loadLanguageModel } from '../engine/model.ts';
import { planMemory, type MemoryPlan } from '../engine/planner.ts';
import { precisionOn } from '../engine/precision.ts';
import type { LanguageModel } from '../engine/types.ts';
import type { Evaluation, TrainerEvent } from '../marft/records.ts';
import { Trainer } from '../marft/trainer.ts';
import { parseQwenConfig, type Precision } from '../qwen/config.ts';
import type { Backend, BackendInfo } from '../runtime/backend.ts';
import { taskByName } from '../tasks/registry.ts';
import { NO_SERVICES, type TaskServices } from '../tasks/services.ts';
import type { Task } from '../tasks/types.ts';
import { createChatTokenizer } from '../tokenizer/chat-tokenizer.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';
import { importAdapter, type AdapterUpload } from './import-adapter.ts';
import { memoryRequest } from './memory-request.ts';
import type { Experiment } from './schema.ts';

export interface SessionResources {
  backend: Backend;
  /** Which backend it is and why, to be told to whoever listens. */
  info: BackendInfo;
  /** The model's repository. */
  source: FileSource;
  /** How exported adapters call their base, which imported ones must have too; null: it has no name. The experiment's model unless given. */
  baseName?: string | null;
  /** Bytes that the run may take on the device, if fewer than it has; what is played at once is then made to fit. */
  memoryLimit?: number | undefined;
  /** What the task may ask for; nothing unless given. */
  services?: TaskServices | undefined;
}

export interface Session {
  readonly experiment: Experiment;
  readonly task: Task;
  readonly tokenizer: ChatTokenizer;
  readonly model: LanguageModel;
  readonly trainer: Trainer;
  /** How the base is held. */
  readonly precision: Precision;
  /** What the run will take. */
  readonly memory: MemoryPlan;
  /** The team as it is now on `count` held-out problems, the same ones every time. */
  evaluate(count: number): Promise<Evaluation>;
  /** Lets the agent of that name go on from an adapter made elsewhere; throws a PlaygroundError that says what does not fit. */
  importAdapter(agent: string, files: AdapterUpload): Promise<void>;
  /** Files of each agent's adapter in PEFT's format, by agent and by file name. */
  adapters(): Promise<Map<string, Map<string, Uint8Array>>>;
  /** Frees the model and everything trained on it; the backend is the caller's. */
  dispose(): void;
}

/**
 * Loads the model and makes fresh adapters and critic. Tells the listener what is being loaded, and when all is ready;
 * from then on the listener hears from the trainer. Throws a PlaygroundError when a part does not fit or cannot be read.
 */
export async function openSession(
  experiment: Experiment,
  { backend, info, source, baseName = experiment.model, memoryLimit = Infinity, services = NO_SERVICES }: SessionResources,
  listener: (event: TrainerEvent) => void,
): Promise<Session> {
  const task = taskByName(experiment.task.name, experiment.task.options, experiment.task.weights, experiment.task.reward);
  if (task.prepare) {
    listener({ type: 'loading', message: 'Reading the problems.' });
    await task.prepare(services);
  }
  listener({ type: 'loading', message: `Reading the model from ${source.description}.` });
  // What cannot be used is refused before its weights are asked for.
  const config = await readConfig(source);
  const precision = precisionOn(backend, experiment.modelPrecision);
  const shape = parseQwenConfig(config, precision);
  const tokenizer = createChatTokenizer(await readTextFiles(source));
  const { total, tensor } = backend.limits;
  const memory = planMemory(memoryRequest(experiment, shape, task, tokenizer, backend.kind), { total: Math.min(memoryLimit, total), tensor });
  const threads = backend.suit(shape.hiddenSize * shape.intermediateSize);
  const { readTensor } = await openWeights(source);
  const model = await loadLanguageModel(backend, { config, readTensor }, { precision, limits: memory.limits });
  const { name, seed, team, algorithm, schedule } = experiment;
  const trainer = new Trainer({ name, seed, task, team, algorithm, schedule }, { model, tokenizer }, listener);
  const dispose = (): void => {
    trainer.dispose();
    model.dispose();
    services.sandbox?.dispose();
  };
  try {
    await trainer.init();
  } catch (error) {
    dispose();
    throw error;
  }
  listener({ type: 'ready', backend: backend.kind === 'webgpu' ? info : { ...info, label: `${info.label}, ${threads} ${threads === 1 ? 'thread' : 'threads'}` }, chance: task.chance });

  return {
    experiment,
    task,
    tokenizer,
    model,
    trainer,
    precision,
    memory,
    dispose,
    evaluate: async (count) => ({
      problems: count,
      sampled: await trainer.evaluate(count, { greedy: false }),
      greedy: await trainer.evaluate(count, { greedy: true }),
    }),
    async importAdapter(name, files) {
      const index = trainer.game.agents.findIndex((agent) => agent.name === name);
      const [agent, policy] = [trainer.game.agents[index], trainer.policies[index]];
      if (!agent || !policy) throw new RangeError(`there is no agent ${name}`);
      await importAdapter(files, agent, policy, baseName);
    },
    async adapters() {
      const parameters = await trainer.parameters();
      return new Map(
        team.agents.map(({ name: agent, adapter }) => [agent, adapterFiles(parameters.get(agent) ?? new Map(), adapter, baseName ?? '')]),
      );
    },
  };
}
