/**
 * What a program finds inside QuickJS besides the language: a way to print, a way to read, and a clock and dice that always show the same.
 * Evaluates to a function of (write, text of the input) that gives a function of (function to call, arguments as JSON).
 */
export const JAVASCRIPT_PRELUDE = `(function (write, text) {
  'use strict';
  const { stringify, parse } = JSON;
  const { isFinite } = Number;
  const show = (value) => {
    if (typeof value === 'string') return value;
    if (typeof value === 'object' && value !== null && !(value instanceof Error)) {
      try { return stringify(value) ?? String(value); } catch { return String(value); }
    }
    return typeof value === 'bigint' ? value + 'n' : String(value);
  };
  const print = (...values) => write(values.map(show).join(' ') + '\\n');
  const quiet = () => undefined;
  const lines = text.split('\\n');
  if (lines.at(-1) === '') lines.pop();
  let line = 0;
  globalThis.print = print;
  globalThis.console = { log: print, info: print, error: quiet, warn: quiet, debug: quiet };
  globalThis.readline = () => (line < lines.length ? lines[line++].replace(/\\r$/, '') : null);
  globalThis.process = { argv: ['node', 'solution.js'], env: {}, stdout: { write: (value) => write(String(value)) } };
  globalThis.require = (name) => {
    if (name === 'fs' || name === 'node:fs') return { readFileSync: (file) => {
      if (file === 0 || file === '/dev/stdin') return text;
      throw new Error('there are no files here');
    } };
    throw new Error('there is no module ' + String(name) + ' here');
  };

  let state = 0x9e3779b9;
  Math.random = () => {
    state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
  const RealDate = Date;
  const Clock = function Date(...parts) {
    if (new.target === undefined) return new RealDate(0).toString();
    return Reflect.construct(RealDate, parts.length === 0 ? [0] : parts, new.target);
  };
  Clock.prototype = RealDate.prototype;
  Clock.parse = RealDate.parse;
  Clock.UTC = RealDate.UTC;
  Clock.now = () => 0;
  RealDate.prototype.constructor = Clock;
  globalThis.Date = Clock;

  return (called, args) => {
    const value = called(...parse(args));
    if (typeof value === 'object' && value !== null && typeof value.then === 'function') throw new TypeError('the function returned a promise; it must return its result at once');
    if (typeof value === 'number' && !isFinite(value)) throw new RangeError('the function returned ' + String(value));
    const written = stringify(value);
    if (written === undefined) throw new TypeError('the function returned ' + (value === undefined ? 'nothing' : 'something that is no plain value'));
    return written;
  };
})`;
