/** Units as words behind a number. A unit may be left out, but not be another one. */

const ALIASES: Record<string, string> = {
  centimeter: 'cm', centimetre: 'cm', millimeter: 'mm', millimetre: 'mm', meter: 'm', metre: 'm', kilometer: 'km', kilometre: 'km',
  inch: 'in', inche: 'in', foot: 'ft', feet: 'ft', yard: 'yd', mile: 'mi',
  gram: 'g', kilogram: 'kg', pound: 'lb', ounce: 'oz',
  second: 's', sec: 's', minute: 'min', hour: 'h', hr: 'h',
  liter: 'l', litre: 'l', milliliter: 'ml', millilitre: 'ml',
  dollar: 'usd', cent: 'cent', unit: 'unit', degree: 'degree',
};

/** Words that are no unit but belong to the sentence or the formula. */
const NOT_UNITS = new Set(['and', 'or', 'if', 'where', 'when', 'sin', 'cos', 'tan', 'log', 'ln', 'mod', 'base']);

/** The unit in one spelling ("square centimetres" and "cm^2" are the same), or null when the words are none. */
export function canonicalUnit(words: string): string | null {
  const text = words.trim().toLowerCase().replace(/\./g, '').replace(/\s+/g, ' ');
  if (text === '' || text.split(/[\s/^]/).some((word) => NOT_UNITS.has(word))) return null;
  const square = /^(?:square|sq) /.test(text);
  const cubic = /^(?:cubic|cu) /.test(text);
  const [name = '', exponent = square ? '2' : cubic ? '3' : ''] = text.replace(/^(?:square|sq|cubic|cu) /, '').split(/\s*\^\s*/);
  const spelt = name.split('/').map((part) => spelling(part.trim())).join('/').replace(/ per /g, '/');
  return exponent === '' ? spelt : `${spelt}^${exponent}`;
}

function spelling(word: string): string {
  const singular = word.length > 2 ? word.replace(/s$/, '') : word;
  return ALIASES[singular] ?? singular;
}
