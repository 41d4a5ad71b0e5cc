import { fileURLToPath } from 'node:url';
import { openFolder } from '../checkpoint/folder-source.ts';
import type { FileSource } from '../checkpoint/source.ts';
import type { Experiment } from '../experiment/schema.ts';

const MODELS = fileURLToPath(new URL('../../public/models/', import.meta.url));

/** The embedded model's repository in this checkout. */
export function embeddedModel(model: Experiment['model']): FileSource {
  return openFolder(`${MODELS}${model}`);
}
