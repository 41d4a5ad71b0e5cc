/** The files of an ordinary Hugging Face model repository. */
import { writeSafetensors } from './safetensors.ts';

/** What describes a model beside its weights. */
export interface ModelDescription {
  config: object;
  generationConfig: object;
  tokenizer: object;
  tokenizerConfig: object;
  /** The model card, Markdown. */
  readme: string;
}

export interface ModelRepositoryContent extends ModelDescription {
  tensors: ReadonlyMap<string, { dims: readonly number[]; data: Float32Array }>;
}

/** File contents by name. */
export function modelRepositoryFiles(content: ModelRepositoryContent): Map<string, Uint8Array | string> {
  return new Map<string, Uint8Array | string>([...descriptionFiles(content), ['model.safetensors', writeSafetensors(content.tensors)]]);
}

/** The files beside the weights. */
export function descriptionFiles(content: ModelDescription): Map<string, string> {
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  return new Map([
    ['config.json', json(content.config)],
    ['generation_config.json', json(content.generationConfig)],
    ['tokenizer.json', json(content.tokenizer)],
    ['tokenizer_config.json', json(content.tokenizerConfig)],
    ['README.md', content.readme],
  ]);
}
