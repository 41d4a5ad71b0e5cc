import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_FILE, readShareFile, writeShareFile } from '../../../../src/experiment/link/share-file.ts';
import { presetByName } from '../../../../src/experiment/presets.ts';
import { PlaygroundError } from '../../../../src/runtime/errors.ts';
import { experiments } from '../experiment-arbitrary.ts';
import { parts } from './parts-arbitrary.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function code(bytes: Uint8Array): string {
  try {
    readShareFile(bytes);
    return 'opened';
  } catch (error) {
    if (!(error instanceof PlaygroundError)) throw error;
    return error.code;
  }
}

describe('a shared file', () => {
  it('opens as what it was made of', () => {
    const shared = experiments.chain((experiment) => fc.tuple(fc.constant(experiment), parts(experiment)));
    fc.assert(
      fc.property(shared, ([experiment, given]) => {
        const opened = readShareFile(bytesOf(writeShareFile(experiment, given)));
        expect(opened.experiment).toEqual(experiment);
        expect(opened.parts).toEqual(given);
      }),
      { numRuns: 200 },
    );
  });

  it('may be an experiment alone, as the command line takes it', () => {
    expect(readShareFile(bytesOf(JSON.stringify(presetByName('secret'))))).toMatchObject({ preset: 'secret', changes: { set: {} }, parts: {} });
  });

  it('is refused by name where it is anything else', () => {
    fc.assert(fc.property(fc.jsonValue(), (json) => void code(bytesOf(JSON.stringify(json)))), { numRuns: 300 });
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void code(bytes)), { numRuns: 300 });
    expect(code(bytesOf('{"format":"marft-share","v":2,"p":"secret","x":1}'))).toBe('link-unreadable');
    expect(code(bytesOf('{"format":"marft-share","v":9}'))).toBe('link-version');
    expect(code(bytesOf('{"format":"marft-share","v":2,"p":"secret","s":{"__proto__":{}}}'))).toBe('link-unreadable');
    expect(code(new Uint8Array(MAX_FILE + 1))).toBe('link-too-large');
  });
});
