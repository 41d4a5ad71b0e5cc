/** What a worker answers: a value, or what went wrong in a sentence. Errors never cross as stacks. */
import { PlaygroundError } from '../../runtime/errors.ts';
import type { Reply, Trouble } from './protocol.ts';

export async function reply<T>(work: () => Promise<T>): Promise<Reply<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, trouble: troubleOf(error) };
  }
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof PlaygroundError) return { message: error.message, hint: error.hint };
  console.error(error);
  const detail = error instanceof Error ? error.message : String(error);
  return {
    message: `Something unexpected went wrong: ${detail}.`,
    hint: 'What is on the page is kept. Press Reset to start the training over, or reload the page.',
  };
}
