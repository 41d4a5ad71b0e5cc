/**
 * One batch from prompts to answers: the prompt's pass, then runs of steps (many in one on the CPU backends, one each on WebGPU), between which
 * a batch of which most rows have finished goes on with the rest.
 */
import { adapterInput, loopGraph, promptGraph, stepGraph, takeRowsGraph, type DecodeShape } from '../qwen/decode-graphs.ts';
import { disposeAll, pick, readFloats, type DeviceTensor, type TensorRecord } from '../runtime/backend.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { loraKey } from './adapter.ts';
import type { Base } from './base.ts';
import { pad } from './batch.ts';
import { compactAt, compactRows, stepsWorth } from './compaction.ts';
import type { AdapterUse } from './forward.ts';
import { samplingInputs, samplingSteps, uniforms } from './sampling-inputs.ts';
import type { GenerateOptions, Generation } from './types.ts';

/** Steps of a run that somebody listens to, and of one that may be stopped. */
const STEPS_HEARD = 4;
const STEPS_STOPPABLE = 16;

export async function decode(
  base: Base,
  adapter: AdapterUse | null,
  prompts: readonly Int32Array[],
  options: GenerateOptions,
): Promise<Generation[]> {
  const padded = pad(prompts);
  const { maxNewTokens, stopIds } = options;
  if (padded.length + maxNewTokens > base.positions) {
    throw new PlaygroundError(
      'prompt-too-long',
      `A prompt of ${padded.length} tokens and ${maxNewTokens} new ones exceed the model's ${base.positions} positions.`,
      'Shorten the profiles, or lower the number of new tokens.',
    );
  }
  throwIfStopped(options);
  const shape = { batch: padded.rows, promptLength: padded.length, maxNewTokens, positions: base.positions, sampling: samplingSteps(options), stopIds };
  const sampling = samplingInputs(base, options);
  const decoding = new Decoding(base, adapter, prompts, shape, options, { ...base.all(), ...adapterInputs(base, adapter), ...sampling });
  try {
    await decoding.prompt(padded.ids);
    while (decoding.goesOn) {
      if (options.signal) await messages();
      throwIfStopped(options);
      await decoding.compact();
      await decoding.advance();
    }
    return decoding.answers.map(({ tokens, logprobs, ended }) => ({
      tokens: Int32Array.from(tokens),
      logprobs: Float32Array.from(logprobs),
      truncated: !ended,
    }));
  } finally {
    decoding.dispose();
    disposeAll(Object.values(sampling));
  }
}

function throwIfStopped({ signal }: GenerateOptions): void {
  if (!signal?.aborted) return;
  throw new PlaygroundError('generation-stopped', 'The answer was stopped before it was complete.', 'Ask again to get a whole answer.');
}

/** Lets a worker take in messages that have arrived, one of which may be that it is to stop. */
function messages(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

interface Answer {
  tokens: number[];
  logprobs: number[];
  /** Whether it has drawn a stop id. */
  ended: boolean;
}

class Decoding {
  readonly answers: Answer[];
  readonly #parameters: number;
  /** Which prompt each row of the batch belongs to; one that has ended may fill a place. */
  #rows: number[];
  /** Tokens that a live row has drawn. */
  #drawn = 0;
  #token: DeviceTensor | null = null;
  #caches: DeviceTensor[] = [];

  constructor(
    private readonly base: Base,
    private readonly adapter: AdapterUse | null,
    private readonly prompts: readonly Int32Array[],
    private readonly shape: DecodeShape,
    private readonly options: GenerateOptions,
    /** All inputs that stay the same. */
    private readonly constant: TensorRecord,
  ) {
    this.answers = prompts.map(() => ({ tokens: [], logprobs: [], ended: false }));
    this.#rows = [...prompts.keys()];
    this.#parameters = base.parameters;
  }

  get goesOn(): boolean {
    return this.#drawn < this.shape.maxNewTokens && this.answers.some(({ ended }) => !ended);
  }

  /** The prompts' pass, which draws the first token of every row. `ids` are padded, [batch · promptLength]. */
  async prompt(ids: Int32Array): Promise<void> {
    const { base, adapter, shape } = this;
    const program = await base.program(this.#key('prompt'), () => promptGraph(base.config, adapter?.spec ?? null, shape));
    const outputs = await this.#run(program, { ids: base.backend.upload(ids, [ids.length]), lengths: this.#lengths(0), uniform: this.#uniforms(1, true) });
    await this.#keep(outputs, 'token', 'token', 'logprob');
  }

  /** As many steps as belong into one run. */
  async advance(): Promise<void> {
    await (this.base.backend.kind === 'webgpu' ? this.#step() : this.#loop());
  }

  /** Leaves finished rows behind where that pays. */
  async compact(): Promise<void> {
    const { base, shape } = this;
    const live = this.#rows.filter((row) => this.#isLive(row));
    if (live.length > compactAt(this.#rows.length) || shape.maxNewTokens - this.#drawn < stepsWorth(this.#rows.length, this.#parameters)) return;
    const kept = new Set(live);
    const fill = this.#rows.filter((row) => !kept.has(row)).slice(0, compactRows(live.length) - live.length);
    const rows = [...live, ...fill];
    const length = shape.promptLength + shape.maxNewTokens;
    const program = await base.program(`take rows ${length}`, () => takeRowsGraph(base.config, length));
    const index = base.backend.upload(Int32Array.from(rows, (row) => this.#rows.indexOf(row)), [rows.length]);
    const before = this.#caches;
    const after = await this.#runWith(program, { index, ...this.#pasts() }, [index]);
    this.#caches = presents(after);
    disposeAll(before);
    this.#rows = rows;
    this.#setToken(base.backend.upload(Int32Array.from(rows, (row) => this.answers[row]?.tokens.at(-1) ?? 0), [rows.length]));
  }

  dispose(): void {
    this.#setToken(null);
    disposeAll(this.#caches);
    this.#caches = [];
  }

  async #step(): Promise<void> {
    const { base, adapter } = this;
    const shape = this.#shape();
    const program = await base.program(this.#key('step'), () => stepGraph(base.config, adapter?.spec ?? null, shape));
    const outputs = await this.#run(program, {
      last_index: this.#lengths(this.#drawn - 1),
      total: this.#int(shape.promptLength + this.#drawn),
      uniform: this.#uniforms(1, true),
    }, Object.fromEntries(this.#caches.map((cache, i) => [`present.${i}`, cache])));
    await this.#keep(outputs, 'next_token', 'next_token', 'logprob');
  }

  async #loop(): Promise<void> {
    const { base, adapter, options } = this;
    const { backend } = base;
    const shape = this.#shape();
    const program = await base.program(this.#key('loop'), () => loopGraph(base.config, adapter?.spec ?? null, shape));
    const most = options.onTokens ? STEPS_HEARD : options.signal ? STEPS_STOPPABLE : Infinity;
    const steps = Math.min(most, shape.maxNewTokens - this.#drawn);
    const outputs = await this.#run(program, {
      steps: backend.upload(BigInt64Array.of(BigInt(steps)), []),
      uniforms: this.#uniforms(steps, false),
      live: backend.upload(Float32Array.from(this.#rows, (row) => +this.#isLive(row)), [shape.batch]),
      lengths: this.#lengths(0),
      start: this.#int(this.#drawn - 1),
      stop_at: backend.upload(Float32Array.of(compactAt(shape.batch)), []),
      // The step at `place` draws token `place + 1`, and leaves so many steps less.
      settled: this.#int(Math.max(0, shape.maxNewTokens - 1 - stepsWorth(shape.batch, this.#parameters))),
    });
    await this.#keep(outputs, 'tokens', null, 'logprobs');
  }

  /** Takes what a run has drawn, and its caches; `last` names the output that the next run begins with. */
  async #keep(outputs: TensorRecord, tokenName: string, last: string | null, logprobName: string): Promise<void> {
    const { backend } = this.base;
    const caches = presents(outputs);
    disposeAll(this.#caches.filter((cache) => !caches.includes(cache)));
    this.#caches = caches;
    const token = pick(outputs, tokenName);
    const logprob = pick(outputs, logprobName);
    const batch = this.#rows.length;
    try {
      const ids = ((await backend.read(token)) as Int32Array).slice();
      const logprobs = await readFloats(backend, logprob);
      this.#record(ids, logprobs, batch);
      this.#setToken(last ? token : backend.upload(ids.subarray(-batch), [batch]));
    } finally {
      logprob.dispose();
      if (this.#token !== token) token.dispose();
    }
  }

  /** `ids` and `logprobs` [steps, batch]. */
  #record(ids: Int32Array, logprobs: Float32Array, batch: number): void {
    this.#drawn += ids.length / batch;
    this.#rows.forEach((row, place) => {
      const answer = this.answers[row];
      if (!answer || answer.ended) return;
      const before = answer.tokens.length;
      for (let at = place; at < ids.length && !answer.ended; at += batch) {
        const id = ids[at] ?? 0;
        answer.tokens.push(id);
        answer.logprobs.push(logprobs[at] ?? 0);
        answer.ended = this.shape.stopIds.includes(id);
      }
      this.options.onTokens?.(row, answer.tokens.slice(before), answer.logprobs.slice(before));
    });
  }

  /** Runs with everything that is there and `small`, which is disposed. */
  #run(program: Awaited<ReturnType<Base['program']>>, small: TensorRecord, into?: TensorRecord): Promise<TensorRecord> {
    const token: TensorRecord = this.#token ? { token: this.#token } : {};
    return this.#runWith(program, { ...this.constant, ...this.#pasts(), ...token, ...small }, Object.values(small), into);
  }

  async #runWith(program: Awaited<ReturnType<Base['program']>>, inputs: TensorRecord, spent: readonly DeviceTensor[], into?: TensorRecord): Promise<TensorRecord> {
    try {
      return await program.run(inputs, into);
    } finally {
      disposeAll(spent);
    }
  }

  #pasts(): TensorRecord {
    return Object.fromEntries(this.#caches.map((cache, i) => [`past.${i}`, cache]));
  }

  #setToken(token: DeviceTensor | null): void {
    this.#token?.dispose();
    this.#token = token;
  }

  #isLive(row: number): boolean {
    return this.answers[row]?.ended === false;
  }

  #shape(): DecodeShape {
    return { ...this.shape, batch: this.#rows.length };
  }

  #key(kind: string): string {
    return `${kind} ${loraKey(this.adapter?.spec ?? null)} ${JSON.stringify(this.#shape())}`;
  }

  /** Tokens of each row's prompt, and `more`. */
  #lengths(more: number): DeviceTensor {
    return this.base.backend.upload(Int32Array.from(this.#rows, (row) => (this.prompts[row]?.length ?? 0) + more), [this.#rows.length]);
  }

  #int(value: number): DeviceTensor {
    return this.base.backend.upload(Int32Array.of(value), []);
  }

  /** What draws the next `steps` tokens: [steps, batch], or [batch, 1] for a single one as a column. */
  #uniforms(steps: number, column: boolean): DeviceTensor {
    const batch = this.#rows.length;
    return this.base.backend.upload(uniforms(this.options, this.#rows, this.#drawn, steps), column ? [batch, 1] : [steps, batch]);
  }
}

/** The caches among a run's outputs, in their order. */
function presents(outputs: TensorRecord): DeviceTensor[] {
  const count = Object.keys(outputs).filter((name) => name.startsWith('present.')).length;
  return Array.from({ length: count }, (_, i) => pick(outputs, `present.${i}`));
}

function adapterInputs(base: Base, adapter: AdapterUse | null): TensorRecord {
  const inputs: TensorRecord = {};
  if (!adapter) return inputs;
  for (let layer = 0; layer < base.config.layers; layer++) {
    for (const [name, tensor] of Object.entries(adapter.parameters.group(layer))) inputs[adapterInput(layer, name)] = tensor;
  }
  return inputs;
}
