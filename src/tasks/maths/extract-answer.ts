/** Which part of an utterance is its answer. */

const BOX_OR_BRACE = /\\(?:boxed|fbox)\s*(?:\{|([^\s{$.,;]+))|\\.|[{}]/gs;
/** "The answer is …", "Answer: …", and the last line of a GSM8K solution, "#### …". */
const ANNOUNCED = /(?:\banswer\s*(?:is|are|:|=)|####)\s*:?\s*([^\n]*)/gi;
const NUMBER = /-?(?:\$\s*)?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|\d)(?:\s*\/\s*\d+)?(?:\s*\\?%)?/g;
const CHOICE = /(?<![A-Za-z0-9])\(?([A-J])\)?(?![A-Za-z0-9'])/g;

/**
 * The answer that an utterance gives: what stands in its last complete `\boxed{…}`; else what its last "answer is" or
 * `####` announces; else its last number. Null when there is none of them.
 */
export function extractAnswer(utterance: string): string | null {
  return lastBoxed(utterance) ?? announced(utterance) ?? lastMatch(utterance, NUMBER);
}

/** The choice letter that an utterance gives: boxed or announced, else its last capital letter from A to J that stands alone. */
export function extractChoice(utterance: string): string | null {
  const given = lastBoxed(utterance) ?? announced(utterance);
  const text = (given ?? utterance).replace(/\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}/g, '$1');
  if (given !== null) return new RegExp(CHOICE.source).exec(text)?.[1] ?? null;
  return [...text.matchAll(CHOICE)].at(-1)?.[1] ?? null;
}

/**
 * Content of the last box that was opened and closed, nested braces included: a cut-off utterance may leave one open. One
 * pass over the text, however many boxes there are.
 */
export function lastBoxed(utterance: string): string | null {
  const open: { start: number; isBox: boolean }[] = [];
  let last = { start: -1, content: '' };
  for (const { index, 0: token, 1: bare } of utterance.matchAll(BOX_OR_BRACE)) {
    const end = index + token.length;
    if (bare !== undefined) last = { start: index, content: bare };
    else if (token.endsWith('{') && token !== '\\{') open.push({ start: end, isBox: token !== '{' });
    else if (token === '}') {
      const box = open.pop();
      if (box?.isBox && box.start > last.start) last = { start: box.start, content: utterance.slice(box.start, index) };
    }
  }
  return last.start < 0 ? null : last.content.trim();
}

function announced(utterance: string): string | null {
  const line = [...utterance.matchAll(ANNOUNCED)].at(-1)?.[1];
  if (line === undefined) return null;
  const unstyled = line.replace(/\*\*|__/g, '');
  const formula = /^[^$\\]{0,20}(?:\$([^$]+)\$|\\\((.+?)\\\)|\\\[(.+?)\\\])/.exec(unstyled);
  const text = formula?.[1] ?? formula?.[2] ?? formula?.[3] ?? (/^(.*?)(?:\.(?=\s|$)|[!;]|$)/.exec(unstyled)?.[1] || unstyled);
  return text.trim() || null;
}

function lastMatch(text: string, pattern: RegExp): string | null {
  return [...text.matchAll(pattern)].at(-1)?.[0].trim() ?? null;
}
