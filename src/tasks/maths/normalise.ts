/** One spelling for what can be written in many ways: LaTeX, plain text and Unicode. Nothing here knows any mathematics. */

const UNICODE: Record<string, string> = {
  '−': '-', '–': '-', '×': '\\times ', '·': '\\cdot ', '÷': '/', '⁄': '/', 'π': '\\pi ', 'θ': '\\theta ', 'α': '\\alpha ', 'β': '\\beta ',
  '∞': '\\infty ', '≤': '\\le ', '≥': '\\ge ', '≠': '\\ne ', '±': '\\pm ', '∪': '\\cup ', '∅': '\\emptyset ', '°': '^\\circ ',
  '½': '\\frac{1}{2}', '⅓': '\\frac{1}{3}', '⅔': '\\frac{2}{3}', '¼': '\\frac{1}{4}', '¾': '\\frac{3}{4}', '²': '^{2}', '³': '^{3}',
  '\u00a0': ' ', '\u2009': ' ', '\u202f': ' ',
};

/** In this order: each may rely on those before it. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/\\[dtc]frac(?![a-zA-Z])/g, '\\frac'],
  [/\\(?:left|right|bigl?|bigr?|Bigl?|Bigr?|displaystyle|textstyle|limits)(?![a-zA-Z])/g, ''],
  [/\\(?:leq|leqslant)(?![a-zA-Z])/g, '\\le '],
  [/\\(?:geq|geqslant)(?![a-zA-Z])/g, '\\ge '],
  [/\\(?:neq)(?![a-zA-Z])/g, '\\ne '],
  [/\\varnothing(?![a-zA-Z])/g, '\\emptyset '],
  [/\\langle(?![a-zA-Z])/g, '('],
  [/\\rangle(?![a-zA-Z])/g, ')'],
  [/\\lbrace(?![a-zA-Z])/g, '\\{'],
  [/\\rbrace(?![a-zA-Z])/g, '\\}'],
  [/\{,\}/g, ','],
  [/\\[!,](?=\d{3}(?!\d))/g, ''],
  [/(?<!\\)\\[,;:!> ]|~|\\q?quad(?![a-zA-Z])/g, ' '],
  [/(?<!\\)\\(?:\(|\)|\[|\])|\\?\$|[€£]/g, ''],
  [/\*\*/g, '^'],
  [/\\(?:mathrm|mathbf|mathit|boldsymbol)\s*\{\s*([a-zA-Z])\s*\}/g, '$1'],
  [/\\(?:mathrm|mathbf|mathit|mathsf|boldsymbol|operatorname|mbox|textbf|textit|textrm)(?=\s*\{)/g, '\\text'],
  [/\^\s*\{?\s*\\circ\s*\}?/g, '\\degree '],
  [/\\degrees?(?![a-zA-Z])|\bdegrees?\b/g, '\\degree '],
  // 0.1\overline{6} and 0.\overline{3} stay for the reader of decimals; a bar over one digit may lack braces.
  [/\\(?:overline|bar)\s*(\d)(?!\d)/g, '\\overline{$1}'],
  [/\\bar(?=\s*\{)/g, '\\overline'],
  // Written as a programmer would.
  [/(?<![\\a-zA-Z])sqrt\s*\(([^()]*)\)/g, '\\sqrt{$1}'],
  [/(?<![\\a-zA-Z])(sqrt|pi|sin|cos|tan|ln|log)(?![a-zA-Z])/g, '\\$1 '],
  [/(?<![\\a-zA-Z])(?:infinity|inf)(?![a-zA-Z])/g, '\\infty '],
  [/(\d(?:\.\d+)?)[eE]([+-]?\d+)(?![\w.])/g, '$1\\times 10^{$2}'],
  [/\^\s*\(([^()]*)\)/g, '^{$1}'],
  [/_\s*(\w)/g, '_{$1}'],
  [/\^\s*(-?\d{2,}|-\d)/g, '^{$1}'],
  [/\\(?:d|t)?binom\s*(\d)\s*(\d)(?!\d)/g, '\\binom{$1}{$2}'],
  [/\\(?:d|t)?binom\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, '\\frac{($1)!}{($2)!(($1)-($2))!}'],
  [/\\frac\s*(\d)\s*(\d)(?!\d)/g, '\\frac{$1}{$2}'],
  [/\\frac\s*(\d)\s*\{/g, '\\frac{$1}{'],
  [/\s+/g, ' '],
];

/** Text in the one spelling that `parseAnswer` reads. */
export function normalise(text: string): string {
  let result = text.normalize('NFC').replace(/[^\x00-\x7f]/g, (character) => UNICODE[character] ?? character);
  for (const [pattern, replacement] of RULES) result = result.replace(pattern, replacement);
  // A sentence's full stop, but not the point of "5.".
  return result.trim().replace(/[.,;:]+$/, '').trim();
}
