/** The embedded models: their shapes and how long each is trained. */
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
  /** Whether its teams must pass the gate of `gate.ts`. */
  gated: boolean;
}

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
    gated: false,
  },
];
