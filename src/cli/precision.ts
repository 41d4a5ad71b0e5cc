/** The option that says how the frozen base is held. */
import { PRECISION_SETTINGS, type PrecisionSetting } from '../engine/precision.ts';
import { UsageError, type Arguments } from './arguments.ts';

export const PRECISION_OPTION = { precision: 'value' } as const;

/** Throws a UsageError for a precision that there is not; undefined when none was given. */
export function precisionOf({ values }: Arguments): PrecisionSetting | undefined {
  const text = values.get('precision');
  if (text === undefined) return undefined;
  const setting = PRECISION_SETTINGS.find((one) => one === text);
  if (!setting) throw new UsageError(`There is no precision "${text}".`, `There are: ${PRECISION_SETTINGS.join(', ')}.`);
  return setting;
}
