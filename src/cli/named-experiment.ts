/** What an argument names: a preset, or a file with an experiment or another document of the project. */
import { readFileSync } from 'node:fs';
import { presetByName } from '../experiment/presets.ts';
import { parseExperiment, type Experiment } from '../experiment/schema.ts';
import { PlaygroundError } from '../runtime/errors.ts';

/** The experiment of a preset or a file. Throws a PlaygroundError when there is none or it is not valid. */
export function namedExperiment(source: string): Experiment {
  // Presets' names have neither a dot nor a slash.
  return /[./\\]/.test(source) ? parseExperiment(readDocument(source)) : presetByName(source);
}

/** The JSON in a file that the user named. Throws a PlaygroundError (`experiment-unreadable`) when it cannot be read. */
export function readDocument(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new PlaygroundError('experiment-unreadable', `The file ${path} cannot be read.`, 'Give the path of a file in JSON, or one of the names that --help lists.', { cause });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PlaygroundError('experiment-unreadable', `The file ${path} is not JSON: ${reason}.`, 'Correct it there.', { cause });
  }
}
