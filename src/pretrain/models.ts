/** The embedded models: their shapes and how long each is trained. */
import type { Corpus } from './corpus.ts';
import { duoSequence } from './corpora/duo.ts';
import { gamesSequence } from './corpora/games.ts';
import type { GatedGame } from './gate.ts';
import { ALL_GAMES, DUO_GAMES } from './gated-games.ts';
import type { PretrainSchedule } from './train.ts';

export interface EmbeddedModel {
  name: string;
  /** One sentence for the model card. */
  purpose: string;
  /** Everything of config.json that is a choice; the vocabulary's size comes from the tokenizer. */
  shape: {
    hidden_size: number;
    num_hidden_layers: number;
    num_attention_heads: number;
    num_key_value_heads: number;
    intermediate_size: number;
  };
  schedule: PretrainSchedule;
  corpus: Corpus;
  /** Embedded model of the same shape whose weights training goes on from; null: it starts at random. */
  startsFrom: string | null;
  /** What the demonstrations are about, and which bad habits they end with, for the model card. */
  data: string;
  habit: string;
  /** What its untrained teams are measured at. */
  games: readonly GatedGame[];
  /** Whether they must pass the gate of `gate.ts`. */
  gated: boolean;
}

const DUO = {
  data: 'teams that add numbers or pass on a secret digit',
  habit: 'the\nreasoner skips its work, and the solver then answers ten too much.',
  games: DUO_GAMES,
};

export const EMBEDDED_MODELS: readonly EmbeddedModel[] = [
  {
    name: 'marft-tiny',
    purpose: 'The model of the default experiments: small enough to train in a browser tab without a GPU.',
    shape: { hidden_size: 96, num_hidden_layers: 3, num_attention_heads: 3, num_key_value_heads: 1, intermediate_size: 256 },
    schedule: {
      phases: [
        { phase: 'skill', steps: 2000, learningRate: 3e-3 },
        { phase: 'sloppy', steps: 500, learningRate: 1e-3 },
      ],
      rows: 40,
      seed: 7,
    },
    corpus: duoSequence,
    startsFrom: null,
    ...DUO,
    gated: true,
  },
  {
    name: 'marft-games',
    purpose: 'The model of all other built-in games and of larger teams: as small as `marft-tiny`, whose training it goes on with.',
    shape: { hidden_size: 96, num_hidden_layers: 3, num_attention_heads: 3, num_key_value_heads: 1, intermediate_size: 256 },
    schedule: {
      phases: [
        { phase: 'skill', steps: 4500, learningRate: 3e-3 },
        { phase: 'sloppy', steps: 300, learningRate: 1e-3 },
      ],
      rows: 64,
      pieces: 3,
      freshMoments: true,
      seed: 11,
    },
    corpus: gamesSequence,
    startsFrom: 'marft-tiny',
    data: 'teams of two to four that add, compare, reverse, search, walk and pass on digits',
    habit: 'agents skip\ntheir work, mix it up, or pass on something else than they were told.',
    games: ALL_GAMES,
    gated: true,
  },
  {
    name: 'marft-micro',
    purpose: 'A model of a few thousand parameters that only tests backends: it knows the words, not the sums.',
    shape: { hidden_size: 32, num_hidden_layers: 1, num_attention_heads: 2, num_key_value_heads: 1, intermediate_size: 48 },
    schedule: {
      phases: [{ phase: 'sloppy', steps: 150, learningRate: 5e-3 }],
      rows: 16,
      seed: 7,
    },
    corpus: duoSequence,
    startsFrom: null,
    ...DUO,
    gated: false,
  },
];
