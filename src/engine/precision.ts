/** From what was asked for to how the base is held. */
import { PRECISIONS, type Precision } from '../qwen/config.ts';
import type { Backend } from '../runtime/backend.ts';
import { PlaygroundError } from '../runtime/errors.ts';

export const PRECISION_SETTINGS = ['auto', ...PRECISIONS] as const;
export type PrecisionSetting = (typeof PRECISION_SETTINGS)[number];

/**
 * `auto` is f16 on a GPU that computes with it: there memory is what is short. Processors have more of it, and widening costs them time.
 * Throws a PlaygroundError (`no-half-precision`) for f16 on a GPU that has none.
 */
export function precisionOn({ kind, halfPrecision }: Pick<Backend, 'kind' | 'halfPrecision'>, setting: PrecisionSetting): Precision {
  if (setting === 'auto') return kind === 'webgpu' && halfPrecision ? 'f16' : 'f32';
  if (setting === 'f16' && !halfPrecision) {
    throw new PlaygroundError('no-half-precision', 'This GPU does not compute in half precision (shader-f16).', 'Set the precision of the model to f32, 4-bit or auto.');
  }
  return setting;
}
