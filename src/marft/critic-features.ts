/**
 * What the linear critic knows of a prefix: whose turn it is and whether it has begun, the frozen base's hidden states, and how surprising
 * the base found what has been said. Surprise is what the states lack: a message that the base would hardly have written is
 * often a wrong one.
 */
import type { TranscriptReading, ValuedSequence } from '../engine/types.ts';
import { at } from './arrays.ts';

/** Surprise of the last token, of the least likely one of this utterance, and of the least likely one before it; each as log-prob and as probability. */
const SURPRISES = 6;
/** A feature is never amplified beyond 1/this. */
const MIN_DEVIATION = 1e-3;

/** One prefix, as raw features. */
interface Prefix {
  /** Which of the transcript's utterances it is in, from 0. */
  utterance: number;
  /** True before the utterance's first token. */
  opens: boolean;
  surprises: number[];
}

/** Valued positions that follow one another are one utterance. */
function prefixes({ positions }: ValuedSequence, logprobs: Float32Array): Prefix[] {
  let utterance = -1;
  let least = 0;
  let leastBefore = 0;
  return [...positions].map((position, k) => {
    const opens = k === 0 || position !== at(positions, k - 1) + 1;
    const last = opens ? 0 : at(logprobs, k);
    if (opens) {
      utterance += 1;
      leastBefore = Math.min(leastBefore, least);
      least = 0;
    }
    least = Math.min(least, last);
    const surprises = [last, opens ? 0 : Math.exp(last), least, Math.exp(least), leastBefore, Math.exp(leastBefore)];
    return { utterance, opens, surprises };
  });
}

/** What the rows look like, and what standardises them. */
export interface FeatureLayout {
  /** The most utterances of a transcript. */
  utterances: number;
  /** Width of the hidden states. */
  states: number;
  /** Mean and inverse deviation of every measured feature, `[states + surprises of all utterances]`. */
  mean: Float64Array;
  scale: Float64Array;
}

/** Number of measured features, which are standardised; the others are marks. */
export function measuredCount({ states, utterances }: Pick<FeatureLayout, 'states' | 'utterances'>): number {
  return states + SURPRISES * utterances;
}

/** Turns readings into rows of features. */
export class CriticFeatures {
  readonly #utterances: number;
  readonly #states: number;
  readonly #mean: Float64Array;
  readonly #scale: Float64Array;

  constructor(readonly layout: FeatureLayout) {
    this.#utterances = layout.utterances;
    this.#states = layout.states;
    this.#mean = layout.mean;
    this.#scale = layout.scale;
  }

  /** Features of a layout that this batch, a run's first, fixes. */
  static of(batch: readonly ValuedSequence[], readings: readonly TranscriptReading[]): CriticFeatures {
    const marks = batch.map((sequence, i) => prefixes(sequence, at(readings, i).logprobs));
    const utterances = Math.max(1, ...marks.flat().map(({ utterance }) => utterance + 1));
    const size = { utterances, states: at(readings, 0).width };
    const measured = measuredCount(size);
    const features = new CriticFeatures({ ...size, mean: new Float64Array(measured), scale: new Float64Array(measured).fill(1) });
    features.#standardise(features.rows(batch, readings));
    return features;
  }

  #standardise(rows: Float64Array): void {
    const measured = this.#mean.length;
    const count = rows.length / this.width;
    for (let column = 0; column < measured; column++) {
      const place = this.width - measured + column;
      let sum = 0;
      let squares = 0;
      for (let n = 0; n < count; n++) {
        const value = at(rows, n * this.width + place);
        sum += value;
        squares += value * value;
      }
      const mean = sum / count;
      this.#mean[column] = mean;
      this.#scale[column] = 1 / (MIN_DEVIATION + Math.sqrt(Math.max(0, squares / count - mean * mean)));
    }
  }

  /** A constant, two marks an utterance, the states, the surprises an utterance. */
  get width(): number {
    return 1 + 2 * this.#utterances + this.#states + SURPRISES * this.#utterances;
  }

  /** [positions of all sequences · width], row-major. */
  rows(batch: readonly ValuedSequence[], readings: readonly TranscriptReading[]): Float64Array {
    const total = batch.reduce((sum, { positions }) => sum + positions.length, 0);
    const rows = new Float64Array(total * this.width);
    let row = 0;
    batch.forEach((sequence, i) => {
      const reading = at(readings, i);
      prefixes(sequence, reading.logprobs).forEach((prefix, k) => {
        const states = reading.states.subarray(k * reading.width, (k + 1) * reading.width);
        this.#write(rows.subarray(row * this.width, (row + 1) * this.width), prefix, states);
        row += 1;
      });
    });
    return rows;
  }

  #write(row: Float64Array, { utterance, opens, surprises }: Prefix, states: Float32Array): void {
    // A transcript with more utterances than the first batch had counts them all as the last.
    const turn = Math.min(utterance, this.#utterances - 1);
    row[0] = 1;
    row[1 + turn] = 1;
    if (opens) row[1 + this.#utterances + turn] = 1;
    const start = 1 + 2 * this.#utterances;
    const standard = (column: number, value: number): number => (value - at(this.#mean, column)) * at(this.#scale, column);
    states.forEach((value, i) => (row[start + i] = standard(i, value)));
    for (let column = this.#states; column < this.#mean.length; column++) {
      const own = column - this.#states - turn * SURPRISES;
      row[start + column] = standard(column, own >= 0 && own < SURPRISES ? at(surprises, own) : 0);
    }
  }
}
