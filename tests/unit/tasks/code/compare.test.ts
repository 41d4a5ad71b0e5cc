import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameOutput, sameValue } from '../../../../src/tasks/code/compare.ts';

describe('what is printed is right', () => {
  it.each([
    ['1 2\n3\n', '1 2\n3'],
    ['1 2\n3', '  1   2  \r\n3\n\n'],
    ['0.5', '0.5000001'],
    ['3.14159265', '3.1415927'],
    ['1e3', '1000'],
    ['2.0', '2'],
    ['', '\n'],
    ['YES', 'YES'],
  ])('%j as %j', (expected, printed) => {
    expect(sameOutput(expected, printed)).toBe(true);
  });

  it.each([
    ['1 2', '1\n2'],
    ['1', '1.0'],
    ['123456789012345678', '123456789012345679'],
    ['1', '2'],
    ['0.5', '0.51'],
    ['0.5', 'NaN'],
    ['0.5', 'Infinity'],
    ['YES', 'yes'],
    ['1\n2', '1'],
    ['1', ''],
    ['1', '1\n1'],
  ])('not %j as %j', (expected, printed) => {
    expect(sameOutput(expected, printed)).toBe(false);
  });
});

describe('what is returned is right', () => {
  it('if it is the same value, in whatever order its keys are', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => sameValue(JSON.stringify(value), JSON.stringify(value, null, 2))));
    expect(sameValue('{"a":1,"b":[2]}', '{"b":[2],"a":1}')).toBe(true);
    expect(sameValue('0.1', '0.1000000000001')).toBe(true);
    expect(sameValue('2', '2.0')).toBe(true);
  });

  it.each([
    ['1', '"1"'],
    ['1', 'true'],
    ['0', 'false'],
    ['null', '0'],
    ['[]', '{}'],
    ['[1,2]', '[2,1]'],
    ['[1]', '[1,null]'],
    ['{"a":1}', '{"a":1,"b":2}'],
    ['{"__proto__":1}', '{}'],
    ['{}', '{"__proto__":1}'],
    ['"a"', '"A"'],
    ['12345678901234567890', '12345678901234567891'],
    ['1', 'no JSON'],
    ['1', ''],
  ])('and %s is not %s', (expected, returned) => {
    expect(sameValue(expected, returned)).toBe(false);
  });

  it('whole numbers of any length count to the last digit, and texts of digits are no numbers', () => {
    fc.assert(fc.property(fc.bigInt(), fc.bigInt(), (a, b) => sameValue(String(a), String(b)) === (a === b)));
    expect(sameValue('["12345678901234567890"]', '[12345678901234567890]')).toBe(false);
    expect(sameValue('"say \\"12345678901234567890\\""', '"say \\"12345678901234567890\\""')).toBe(true);
  });
});
