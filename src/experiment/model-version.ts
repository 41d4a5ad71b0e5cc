/** Which version of a model a run was trained on, so that it is gone on with the same. */
import { sha256 } from '../checkpoint/sha256.ts';
import type { FileSource } from '../checkpoint/source.ts';

/** Hexadecimal digits that tell versions apart. */
const DIGITS = 16;

/** Of a model that comes with the program: a new release may bring new weights under the old name. */
export async function embeddedVersion(name: string, source: FileSource): Promise<string> {
  return `${name}#${(await sha256(await source.read('model.safetensors'))).slice(0, DIGITS)}`;
}
