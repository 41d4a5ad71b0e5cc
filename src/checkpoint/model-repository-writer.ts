/** The files of an ordinary Hugging Face model repository. */
import { writeSafetensors } from './safetensors.ts';

export interface ModelRepositoryContent {
  config: object;
  generationConfig: object;
  tokenizer: object;
  tokenizerConfig: object;
  tensors: ReadonlyMap<string, { dims: readonly number[]; data: Float32Array }>;
  /** The model card, Markdown. */
  readme: string;
}

/** File contents by name. */
export function modelRepositoryFiles(content: ModelRepositoryContent): Map<string, Uint8Array | string> {
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  return new Map<string, Uint8Array | string>([
    ['config.json', json(content.config)],
    ['generation_config.json', json(content.generationConfig)],
    ['tokenizer.json', json(content.tokenizer)],
    ['tokenizer_config.json', json(content.tokenizerConfig)],
    ['model.safetensors', writeSafetensors(content.tensors)],
    ['README.md', content.readme],
  ]);
}
