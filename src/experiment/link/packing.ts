/** Text as a piece of an address and back: deflated, in base64url. What comes in is hostile: it is capped before anything is expanded. */
import { deflateSync, Inflate } from 'fflate';
import { PlaygroundError } from '../../runtime/errors.ts';

/** Bytes of the payload: more than any browser's address holds comfortably. */
export const MAX_COMPRESSED = 64 * 1024;
/** Bytes of the JSON within. */
export const MAX_EXPANDED = 1024 * 1024;

/** Compressed bytes that are expanded in one go: deflate makes at most a thousand times as much of them. */
const STEP = 512;

/** The text packed, and how many bytes of the cap that takes. Throws a PlaygroundError (`link-too-large`) for what no link holds. */
export function pack(text: string): { packed: string; bytes: number } {
  const expanded = new TextEncoder().encode(text);
  const compressed = deflateSync(expanded, { level: 9 });
  if (expanded.length > MAX_EXPANDED || compressed.length > MAX_COMPRESSED) {
    throw tooLarge('The experiment does not fit into a link.', 'Share it as a file instead.');
  }
  return { packed: toBase64Url(compressed), bytes: compressed.length };
}

/** The JSON that was packed. Throws a PlaygroundError: `link-unreadable` or `link-too-large`. */
export function unpackJson(packed: string): unknown {
  // Four characters carry three bytes.
  if (packed.length > Math.ceil((MAX_COMPRESSED * 4) / 3)) throw tooLarge(`The link is longer than ${MAX_COMPRESSED / 1024} KB.`, 'Ask whoever made it for the experiment as a file.');
  return parseJson(expand(fromBase64Url(packed)));
}

export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    throw unreadable(error);
  }
}

export function tooLarge(message: string, hint: string): PlaygroundError {
  return new PlaygroundError('link-too-large', message, hint);
}

export function unreadable(cause?: unknown): PlaygroundError {
  return new PlaygroundError('link-unreadable', 'The link is damaged or incomplete.', 'Copy it again, whole.', { cause });
}

/** At most `MAX_EXPANDED` bytes, in steps, so that what expands to more is refused before it has. */
function expand(compressed: Uint8Array): Uint8Array {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const inflate = new Inflate((chunk) => {
    size += chunk.length;
    if (size > MAX_EXPANDED) throw tooLarge(`The link expands to more than ${MAX_EXPANDED / 1024 / 1024} MB.`, 'No experiment is that large; somebody made it to do harm.');
    chunks.push(chunk);
  });
  try {
    for (let start = 0; start < compressed.length; start += STEP) {
      inflate.push(compressed.subarray(start, start + STEP), start + STEP >= compressed.length);
    }
  } catch (error) {
    throw error instanceof PlaygroundError ? error : unreadable(error);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array {
  if (text === '' || !/^[\w-]*$/.test(text)) throw unreadable();
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** Throws a PlaygroundError (`link-unreadable`) for what is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (error) {
    throw unreadable(error);
  }
}
