/** Text of an answer whose tokens are still coming. */
import type { ChatTokenizer } from './types.ts';

/** What a decoder writes for bytes that are no character yet: the next token may complete it. */
const INCOMPLETE = '\uFFFD';

/** Turns tokens into text portion by portion; the portions together are what all tokens decode to, without the one that stops. */
export class LiveText {
  readonly #ids: number[] = [];
  #told = '';

  constructor(private readonly tokenizer: Pick<ChatTokenizer, 'decode' | 'stopIds'>) {}

  /** The text that these tokens add; of a character that is cut in two, nothing until it is whole. */
  push(tokens: readonly number[]): string {
    this.#ids.push(...tokens.filter((id) => !this.tokenizer.stopIds.includes(id)));
    const text = this.tokenizer.decode(Int32Array.from(this.#ids));
    return text.endsWith(INCOMPLETE) ? '' : this.#tell(text);
  }

  /** What was held back, when no more tokens come. */
  end(): string {
    return this.#tell(this.tokenizer.decode(Int32Array.from(this.#ids)));
  }

  #tell(text: string): string {
    const portion = text.slice(this.#told.length);
    this.#told = text;
    return portion;
  }
}
