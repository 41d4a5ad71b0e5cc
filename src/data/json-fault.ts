/** Where a text stops being JSON: engines say it in different words, or not at all. */

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|true|false|null/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';

/** The line, from 1, of the first character that cannot be there; null where the whole is JSON. */
export function jsonFaultLine(text: string): number | null {
  const at = faultAt(text);
  return at === null ? null : text.slice(0, at).split('\n').length;
}

function faultAt(text: string): number | null {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const take = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0].length ?? -1;
  };
  /** The end of the string that begins here; −1 where it has none. */
  const stringEnd = (): number => {
    const start = at++;
    for (;;) {
      at += take(PLAIN);
      if (text[at] === '"') return ++at;
      const escape = take(ESCAPE);
      if (escape < 0) {
        // A string that never ends is wrong where it begins.
        if (text[at] === undefined) at = start;
        return -1;
      }
      at += escape;
    }
  };
  for (;;) {
    at += take(SPACE);
    const token = text[at];
    if (open.length === 0 && expected === 'comma-or-end') return token === undefined ? null : at;
    if (token === undefined) return text.length;
    const wantsKey: boolean = expected === 'key' || expected === 'key-or-end';
    const mayEnd: boolean = expected.endsWith('-or-end');
    const ends = mayEnd && ((token === '}' && open.at(-1) === '{') || (token === ']' && open.at(-1) === '['));
    if (ends) {
      open.pop();
      expected = 'comma-or-end';
      at += 1;
    } else if (expected === 'comma-or-end' || expected === 'colon') {
      if (token !== (expected === 'colon' ? ':' : ',')) return at;
      expected = expected === 'colon' ? 'value' : open.at(-1) === '{' ? 'key' : 'value';
      at += 1;
    } else if (token === '"') {
      if (stringEnd() < 0) return at;
      expected = wantsKey ? 'colon' : 'comma-or-end';
    } else if (wantsKey) {
      return at;
    } else if (token === '{' || token === '[') {
      open.push(token);
      expected = token === '{' ? 'key-or-end' : 'value-or-end';
      at += 1;
    } else {
      const length = take(SCALAR);
      if (length < 0) return at;
      expected = 'comma-or-end';
      at += length;
    }
  }
}
