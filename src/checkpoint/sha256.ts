import { PlaygroundError } from '../runtime/errors.ts';

/** Hexadecimal. Throws a PlaygroundError where the browser offers no cryptography, which is on pages without https. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  const subtle = (globalThis.crypto as Partial<Crypto> | undefined)?.subtle;
  if (subtle === undefined) {
    throw new PlaygroundError('storage-refused', 'This page may not store anything, because it was not loaded over https.', 'Open it over https or on localhost.');
  }
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
