/** Brackets in mathematical text: finding their partners, and cutting text only outside of them. */

const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}' };

/** Index of the brace that closes the one at `open`, or -1 when the text ends before it. `\{` and `\}` are plain characters. */
export function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    const character = text[i];
    if (character === '\\') i++;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return i;
  }
  return -1;
}

/**
 * The parts of `text` between separators that stand outside all brackets and environments. An interval may mix its
 * brackets, so depth is all that counts: any closing bracket closes any opening one.
 */
export function splitOutside(text: string, separator: RegExp): string[] {
  const sticky = new RegExp(separator.source, 'y');
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; ) {
    const environment = /^\\(begin|end)\{/.exec(text.slice(i, i + 8));
    if (environment) depth += environment[1] === 'begin' ? 1 : -1;
    sticky.lastIndex = i;
    const found = depth === 0 ? sticky.exec(text) : null;
    if (found && found[0].length > 0) {
      parts.push(text.slice(start, i));
      i += found[0].length;
      start = i;
      continue;
    }
    const character = text[i] ?? '';
    const escaped = character === '\\' ? (text[i + 1] ?? '') : '';
    const bracket = escaped === '{' || escaped === '}' ? escaped : character;
    if (bracket in CLOSING) depth++;
    else if (bracket === ')' || bracket === ']' || bracket === '}') depth = Math.max(0, depth - 1);
    i += escaped === '' ? 1 : 2;
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim());
}
