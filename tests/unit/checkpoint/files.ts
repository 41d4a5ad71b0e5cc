/** Files in memory, and safetensors files with any header. */
import type { FileSource } from '../../../src/checkpoint/source.ts';
import { PlaygroundError } from '../../../src/runtime/errors.ts';

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** `asked` collects what was read, so that a test can tell what was not. */
export function memorySource(files: Readonly<Record<string, Uint8Array | string>>, asked: string[] = []): FileSource {
  const read = (path: string): Promise<Uint8Array> => {
    const content = Object.hasOwn(files, path) ? files[path] : undefined;
    if (content === undefined) return Promise.reject(new PlaygroundError('file-missing', `There is no ${path}.`, 'Give one.'));
    return Promise.resolve(typeof content === 'string' ? utf8(content) : content);
  };
  return {
    description: 'memory',
    read: (path) => {
      asked.push(path);
      return read(path);
    },
    readRange: async (path, start, end) => {
      asked.push(`${path} ${start}-${end}`);
      return (await read(path)).slice(start, end);
    },
  };
}

/** A safetensors file with this header (text as it is, anything else as JSON) before `data`. */
export function rawSafetensors(header: unknown, data: ArrayLike<number> = []): Uint8Array {
  const text = utf8(typeof header === 'string' ? header : JSON.stringify(header));
  const file = new Uint8Array(8 + text.length + data.length);
  new DataView(file.buffer).setBigUint64(0, BigInt(text.length), true);
  file.set(text, 8);
  file.set(data, 8 + text.length);
  return file;
}

/** Resolves to the code of the PlaygroundError that `work` fails with; checks that it has a hint. */
export async function refusal(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof PlaygroundError && error.hint.endsWith('.')) return error.code;
    throw error;
  }
  return 'nothing was refused';
}
