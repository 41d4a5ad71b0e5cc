/**
 * The printable stand-in for every byte that byte-level BPE vocabularies are written in (GPT-2's table): printable
 * Latin-1 bytes stand for themselves, the others take the code points from 256 on.
 */
function isPrintable(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

/** Characters by byte. */
export const BYTE_CHARACTERS: readonly string[] = (() => {
  let spare = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : spare++));
})();

const BYTES = new Map(BYTE_CHARACTERS.map((character, byte) => [character, byte]));

/** Text as UTF-8 bytes, each written as its character. */
export function toByteCharacters(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => BYTE_CHARACTERS[byte]).join('');
}

/** The bytes of a token written in the alphabet; null when it is not. */
export function fromByteCharacters(token: string): number[] | null {
  const bytes = Array.from(token, (character) => BYTES.get(character));
  return bytes.every((byte) => byte !== undefined) ? bytes : null;
}
