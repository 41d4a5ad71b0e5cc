/**
 * Takes everything from a worker's global object that is not the language itself. An interpreter inside has no way to it in the first place; should one
 * ever find a way, nothing worth having is there. Addresses in `import()` are out of reach too, since no text becomes code any more.
 */

/** The language, and what an interpreter needs to run. */
const KEPT = new Set([
  'globalThis', 'undefined', 'NaN', 'Infinity', 'isNaN', 'isFinite', 'parseInt', 'parseFloat', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent',
  'Object', 'Boolean', 'Symbol', 'Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'SuppressedError',
  'Number', 'BigInt', 'Math', 'Date', 'String', 'RegExp', 'Array', 'Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry', 'Iterator', 'JSON', 'Promise', 'Proxy', 'Reflect',
  'ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Atomics', 'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
  'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array', 'Intl', 'WebAssembly', 'TextDecoder', 'TextEncoder', 'setTimeout', 'clearTimeout', 'queueMicrotask',
]);

/** Why text is not made into code. Says so to whoever tries. */
function refuse(): never {
  throw new TypeError('code from text is not allowed here');
}

const quiet = (): void => undefined;

/** From here on nothing is written to the console, neither by a program nor by an interpreter that it breaks. Comes before an interpreter is loaded, which may keep what it finds. */
export function silence(): void {
  const value = { log: quiet, info: quiet, warn: quiet, error: quiet, debug: quiet, trace: quiet, assert: quiet };
  Reflect.defineProperty(globalThis, 'console', { value, configurable: true, writable: true });
}

/** Irreversible. Whoever needs something that goes keeps it in a variable first. */
export function lockDown(): void {
  const { prototype: functionPrototype } = Function;
  const own = {
    console,
    performance: { now: performance.now.bind(performance) },
    crypto: { getRandomValues: crypto.getRandomValues.bind(crypto) },
  };
  for (let holder: object | null = globalThis; holder !== null && holder !== Object.prototype; holder = Object.getPrototypeOf(holder) as object | null) {
    for (const name of Reflect.ownKeys(holder)) {
      if (typeof name === 'symbol' || name === 'constructor' || KEPT.has(name)) continue;
      // What cannot be deleted is a part of the language, or covered by the next lines.
      Reflect.deleteProperty(holder, name);
      if (name in globalThis) Reflect.defineProperty(globalThis, name, { value: undefined, configurable: true, writable: true });
    }
  }
  for (const [name, value] of Object.entries(own)) Reflect.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  const kinds: object[] = [function () {}, async function () {}, function* () {}, async function* () {}].map((kind) => Object.getPrototypeOf(kind) as object);
  for (const prototype of kinds) Reflect.defineProperty(prototype, 'constructor', { value: refuse, configurable: false, writable: false });
  const stand = refuse.bind(null);
  Reflect.defineProperty(stand, 'prototype', { value: functionPrototype });
  Reflect.defineProperty(globalThis, 'Function', { value: stand, configurable: false, writable: false });
  Reflect.defineProperty(globalThis, 'eval', { value: refuse, configurable: false, writable: false });
}
