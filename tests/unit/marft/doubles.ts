/** Stand-ins: a character tokenizer and a language model that is a table of logits by the last few ids. */
import type {
  OpenPass,
  GenerateOptions,
  Generation,
  LanguageModel,
  Policy,
  StepOptions,
  StepResult,
  TensorMap,
  TokenScores,
  TokenSequence,
  TranscriptReading,
  ValuedSequence,
  ValueFunction,
} from '../../../src/engine/types.ts';
import { at } from '../../../src/marft/arrays.ts';
import { agentSchema, algorithmSchema, teamSchema, type AlgorithmSettings, type TeamSettings } from '../../../src/marft/settings.ts';
import type { Task } from '../../../src/tasks/types.ts';
import type { ChatMessage, ChatTokenizer, RenderedChat } from '../../../src/tokenizer/types.ts';

/** Ends an utterance and, to set a trap, is what this tokenizer would pad with. */
export const STOP = 0;
export const OPEN = 1;
/** Characters from here on; the table model can say the first few only. */
const FIRST_CHARACTER = 2;
const SAYABLE = 'abc';
const ALPHABET = SAYABLE + [...Array(95).keys()].map((k) => String.fromCharCode(32 + k)).filter((c) => !SAYABLE.includes(c)).join('') + '\n';
const VOCABULARY = FIRST_CHARACTER + SAYABLE.length;

export function toyTokenizer(): ChatTokenizer {
  const encode = (text: string): Int32Array =>
    Int32Array.from(text, (character) => FIRST_CHARACTER + ALPHABET.indexOf(character));
  const character = (id: number): string => ALPHABET[id - FIRST_CHARACTER] ?? '?';
  return {
    stopIds: [STOP],
    bannedIds: [OPEN],
    encode,
    chat(messages: readonly ChatMessage[], openAssistantTurn: boolean): RenderedChat {
      const ids: number[] = [];
      const idPartStarts: number[] = [];
      for (const { role, content } of messages) {
        ids.push(OPEN, ...encode(at(role, 0)));
        for (const part of content) {
          if (typeof part !== 'string') idPartStarts.push(ids.length);
          ids.push(...(typeof part === 'string' ? encode(part) : part));
        }
        ids.push(STOP);
      }
      if (openAssistantTurn) ids.push(OPEN, ...encode('a'));
      return { ids: Int32Array.from(ids), idPartStarts };
    },
    decode: (ids) => Array.from(ids, (id) => (id < FIRST_CHARACTER ? '' : character(id))).join(''),
    tokenText: (id) => (id === STOP ? '<stop>' : id === OPEN ? '<open>' : character(id)),
  };
}

/** One row of numbers per context, learnt by plain gradient descent at `gain` times the learning rate. */
class Table {
  readonly rows = new Map<string, Float64Array>();
  readonly gradients = new Map<string, Float64Array>();
  steps = 0;
  /** Gradients turn to NaN while this is set. */
  poisoned = false;

  constructor(
    readonly width: number,
    readonly memory: number,
    readonly gain: number,
  ) {}

  context(ids: ArrayLike<number>, end: number): string {
    return Array.from({ length: this.memory }, (_, k) => ids[end - 1 - k] ?? -1).join(' ');
  }

  row(context: string): Float64Array {
    return this.rows.get(context) ?? new Float64Array(this.width);
  }

  add(context: string, gradient: readonly number[]): void {
    const sum = this.gradients.get(context) ?? new Float64Array(this.width);
    gradient.forEach((value, k) => (sum[k] = at(sum, k) + value));
    this.gradients.set(context, sum);
  }

  step({ learningRate }: StepOptions): Promise<StepResult> {
    const squares = [...this.gradients.values()].flatMap((gradient) => [...gradient]).reduce((sum, g) => sum + g * g, 0);
    const gradNorm = this.poisoned ? Number.NaN : Math.sqrt(squares);
    if (!Number.isFinite(gradNorm)) return Promise.resolve({ gradNorm, applied: false });
    for (const [context, gradient] of this.gradients) {
      this.rows.set(context, this.row(context).map((value, k) => value - this.gain * learningRate * at(gradient, k)));
    }
    this.gradients.clear();
    this.steps++;
    return Promise.resolve({ gradNorm, applied: true });
  }

  zeroGrad(): Promise<void> {
    this.gradients.clear();
    return Promise.resolve();
  }

  norm(): Promise<number> {
    return Promise.resolve(Math.sqrt([...this.rows.values()].flatMap((row) => [...row]).reduce((sum, x) => sum + x * x, 0)));
  }

  parameters(): Promise<TensorMap> {
    return Promise.resolve(new Map([...this.rows].map(([name, row]) => [name, { dims: [this.width], data: Float32Array.from(row) }])));
  }

  state(): Promise<TensorMap> {
    return this.parameters();
  }

  restore(): Promise<void> {
    return Promise.resolve();
  }

  dispose(): void {
    this.rows.clear();
  }
}

/** A softmax over the sayable ids for every context of the last `memory` ids. */
export class TablePolicy extends Table implements Policy {
  /** Passes that were opened and neither went back nor were closed. */
  openPasses = 0;

  constructor(gain = 1) {
    super(VOCABULARY, 6, gain);
  }

  generate(prompts: readonly Int32Array[], options: GenerateOptions): Promise<Generation[]> {
    return Promise.resolve(
      prompts.map((prompt, rowIndex) => {
        const ids = [...prompt];
        const logprobs: number[] = [];
        for (let position = 0; position < options.maxNewTokens; position++) {
          const log = this.#logprobs(ids, ids.length, options.temperature);
          const id = options.greedy ? log.indexOf(Math.max(...log)) : draw(log, options.uniform(rowIndex, position));
          ids.push(id);
          logprobs.push(at(log, id));
          if (options.stopIds.includes(id)) break;
        }
        const tokens = Int32Array.from(ids.slice(prompt.length));
        return { tokens, logprobs: Float32Array.from(logprobs), truncated: !options.stopIds.includes(tokens.at(-1) ?? -1) };
      }),
    );
  }

  score(batch: readonly TokenSequence[], temperature: number): Promise<TokenScores> {
    const scores: TokenScores = { logprobs: [], entropies: [] };
    for (const { prompt, tokens } of batch) {
      const ids = [...prompt, ...tokens];
      const rows = Array.from(tokens, (_, t) => this.#logprobs(ids, prompt.length + t, temperature));
      scores.logprobs.push(Float32Array.from(rows, (log, t) => at(log, at(tokens, t))));
      scores.entropies.push(Float32Array.from(rows, entropyOf));
    }
    return Promise.resolve(scores);
  }

  async open(batch: readonly TokenSequence[], temperature: number): Promise<OpenPass> {
    const scores = await this.score(batch, temperature);
    this.openPasses += 1;
    const close = (): void => void (this.openPasses -= 1);
    return { scores, backward: (cotangents) => this.backward(batch, temperature, cotangents).finally(close), close };
  }

  backward(batch: readonly TokenSequence[], temperature: number, cotangents: TokenScores): Promise<void> {
    batch.forEach(({ prompt, tokens }, sequence) => {
      const ids = [...prompt, ...tokens];
      tokens.forEach((token, t) => {
        const log = this.#logprobs(ids, prompt.length + t, temperature);
        const entropy = entropyOf(log);
        const dLogprob = at(at(cotangents.logprobs, sequence), t);
        const dEntropy = at(at(cotangents.entropies, sequence), t);
        const gradient = log.map((l, k) => {
          const p = Math.exp(l);
          return (dLogprob * ((k === token ? 1 : 0) - p) - dEntropy * p * (l + entropy)) / temperature;
        });
        this.add(this.context(ids, prompt.length + t), gradient);
      });
    });
    return Promise.resolve();
  }

  #logprobs(ids: ArrayLike<number>, end: number, temperature: number): number[] {
    const logits = [...this.row(this.context(ids, end))].map((logit) => logit / temperature);
    const largest = Math.max(...logits);
    const normalizer = largest + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0));
    return logits.map((logit) => logit - normalizer);
  }
}

class TableValue extends Table implements ValueFunction {
  constructor() {
    super(1, 8, 1);
  }

  values(batch: readonly ValuedSequence[]): Promise<Float32Array[]> {
    return Promise.resolve(
      batch.map(({ ids, positions }) =>
        Float32Array.from(positions, (position) => at(this.row(this.context(ids, position + 1)), 0)),
      ),
    );
  }

  backward(batch: readonly ValuedSequence[], cotangents: readonly Float32Array[]): Promise<void> {
    batch.forEach(({ ids, positions }, sequence) => {
      positions.forEach((position, k) => this.add(this.context(ids, position + 1), [at(at(cotangents, sequence), k)]));
    });
    return Promise.resolve();
  }
}

export class TableModel implements LanguageModel {
  readonly base = new TablePolicy();
  readonly policies: TablePolicy[] = [];
  readonly valueFunctions: TableValue[] = [];

  createPolicy(): Promise<Policy> {
    // A context's gradient is diluted by all the others in the mean over tokens.
    const policy = new TablePolicy(20);
    this.policies.push(policy);
    return Promise.resolve(policy);
  }

  createValueFunction(): Promise<ValueFunction> {
    const critic = new TableValue();
    this.valueFunctions.push(critic);
    return Promise.resolve(critic);
  }

  /** States that tell a prefix by its last id; nothing is surprising. */
  read(batch: readonly ValuedSequence[]): Promise<TranscriptReading[]> {
    const width = 8;
    return Promise.resolve(
      batch.map(({ ids, positions }) => {
        const states = new Float32Array(positions.length * width);
        positions.forEach((position, k) => (states[k * width + (at(ids, position) % width)] = 1));
        return { width, states, logprobs: new Float32Array(positions.length) };
      }),
    );
  }

  deviceBytes(): number {
    return 0;
  }

  dispose(): void {
    this.policies.length = 0;
  }
}

/** Agent 0 is told a letter, the last agent must say it. */
export function letterTask(): Task {
  return {
    name: 'letter',
    description: 'Say the letter that the first agent was told.',
    chance: 1 / SAYABLE.length,
    parts: ['exact'],
    train: (random) => letterProblem(random.pick([...SAYABLE])),
    heldOut: (count) => Array.from({ length: count }, (_, k) => letterProblem(at(SAYABLE, k % SAYABLE.length))),
    verify: (problem, answer) => {
      const exact = answer === problem.answer ? 1 : 0;
      return { reward: exact, parts: { exact } };
    },
  };
}

function letterProblem(letter: string): ReturnType<Task['train']> {
  return { id: letter, question: 'which?', secret: letter, answer: letter };
}

/** A speaker and an answerer, or the agents given, with everything else at its default. */
export function team(agents: readonly object[] = [{}, {}], rest: Partial<TeamSettings> = {}): TeamSettings {
  return teamSchema.parse({
    agents: agents.map((agent, k) =>
      agentSchema.parse({
        name: `agent-${k}`,
        profile: `profile ${k}`,
        role: k === agents.length - 1 ? 'answers' : 'speaks',
        maxNewTokens: 2,
        ...agent,
      }),
    ),
    ...rest,
  });
}

export function algorithm(settings: object = {}): AlgorithmSettings {
  return algorithmSchema.parse(settings);
}

function draw(logprobs: readonly number[], uniform: number): number {
  let below = 0;
  const id = logprobs.findIndex((logprob) => uniform < (below += Math.exp(logprob)));
  return id < 0 ? logprobs.length - 1 : id;
}

function entropyOf(logprobs: readonly number[]): number {
  return -logprobs.reduce((sum, logprob) => sum + Math.exp(logprob) * logprob, 0);
}
