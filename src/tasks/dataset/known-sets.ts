/** Data sets that have a name of their own here. What they are is the Hub's to say: only where what stands in them is written down. */
import type { AnswerFrom } from './answer-from.ts';

export interface KnownSet {
  title: string;
  /** As a source of rows. */
  source: string;
  config: string;
  /** The split that is trained on. */
  split: string;
  question: string;
  answer: string;
  answerFrom: AnswerFrom;
  /** Characters of a long question, for reckoning memory before the rows are there. */
  longQuestion: number;
}

export const KNOWN_SETS = {
  gsm8k: { title: 'GSM8K: school mathematics in words', source: 'hub:openai/gsm8k', config: 'main', split: 'train', question: 'question', answer: 'answer', answerFrom: 'hashes', longQuestion: 1000 },
  'math-500': { title: 'MATH-500: competition mathematics', source: 'hub:HuggingFaceH4/MATH-500', config: 'default', split: 'test', question: 'problem', answer: 'answer', answerFrom: 'whole', longQuestion: 1800 },
  'aime-2024': { title: 'AIME 2024: thirty hard problems', source: 'hub:HuggingFaceH4/aime_2024', config: 'default', split: 'train', question: 'problem', answer: 'answer', answerFrom: 'whole', longQuestion: 1200 },
  deepscaler: { title: 'DeepScaleR: forty thousand competition problems', source: 'hub:agentica-org/DeepScaleR-Preview-Dataset', config: 'default', split: 'train', question: 'problem', answer: 'answer', answerFrom: 'whole', longQuestion: 2000 },
} as const satisfies Record<string, KnownSet>;

export type KnownSetName = keyof typeof KNOWN_SETS;
export const KNOWN_SET_NAMES = Object.keys(KNOWN_SETS) as KnownSetName[];

/** The set of that name; null where there is none. */
export function knownSet(name: string): KnownSet | null {
  return KNOWN_SET_NAMES.some((one) => one === name) ? KNOWN_SETS[name as KnownSetName] : null;
}
