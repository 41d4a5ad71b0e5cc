/** Portions of text from portions of tokens. */
import { describe, expect, it } from 'vitest';
import { LiveText } from '../../../src/tokenizer/live-text.ts';

const STOP = 999;
/** A token a byte, as byte-level tokenizers have for what they do not know. */
const bytes = { stopIds: [STOP], decode: (ids: Int32Array) => new TextDecoder().decode(Uint8Array.from(ids)) };

describe('live text', () => {
  it('tells each character once, when it is whole, and never the stop token', () => {
    const text = 'Fünf 🍎 = 5';
    const live = new LiveText(bytes);
    const portions = [...new TextEncoder().encode(text), STOP].map((id) => live.push([id]));
    expect(portions.join('')).toBe(text);
    expect(portions.every((portion) => !portion.includes('\uFFFD'))).toBe(true);
    expect(live.end()).toBe('');
  });

  it('tells what never became whole only at the end', () => {
    const live = new LiveText(bytes);
    expect(live.push([65, 0xf0, 0x9f])).toBe('');
    expect(live.end()).toBe('A\uFFFD');
  });
});
