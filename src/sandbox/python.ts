/** Python in Pyodide: CPython in WASM. An interpreter serves one program only and is then given up. */
import type { ImportScript, Interpreter } from './interpreter.ts';
import { lockDown } from './lockdown.ts';
import { PYTHON_HARNESS } from './python-harness.ts';
import type { Job, PythonParts } from './protocol.ts';
import { stopped } from './stopped.ts';
import type { Result } from './types.ts';

/** As little of Pyodide as is used. Its own types would draw in those of emscripten. */
interface Pyodide {
  runPython(code: string): unknown;
  setStdin(options: { stdin: () => Uint8Array | null; isatty?: boolean }): void;
  setStdout(options: { write: (bytes: Uint8Array) => number; isatty?: boolean }): void;
  setStderr(options: { write: (bytes: Uint8Array) => number; isatty?: boolean }): void;
  makeMemorySnapshot(): Uint8Array;
  globals: { get(name: string): (...args: string[]) => unknown };
  FS: { filesystems: { MEMFS: { expandFileStorage(node: { contents?: { length: number } }, bytes: number): void } } };
}

interface PyodidePackage {
  loadPyodide(options: Record<string, unknown>): Promise<Pyodide>;
}

/** Nothing is ever fetched from there. */
const NOWHERE = 'https://sandbox.invalid/';

/** Which interpreter this is, as its list of packages would say. There are no packages here. */
const LOCK = { info: { abi_version: '2026_0', arch: 'wasm32', platform: 'emscripten_5_0_3', python: '3.14.2', version: '314.0.8' }, packages: {} };

/** Bytes of all files that a program may write. */
const MAX_FILES = 32 * 1024 * 1024;

const MAX_MESSAGE = 1000;

/** What every program starts with: then it is in the snapshot. */
const WARM = 'import array, bisect, collections, copy, dataclasses, datetime, decimal, enum, fractions, functools, heapq, io, itertools, json, math, operator, random, re, statistics, string, sys, time, types, typing';

export async function startPython({ wasm, loader, library, snapshot }: PythonParts, importScript: ImportScript): Promise<Interpreter> {
  const memory = limitMemory();
  const { loadPyodide, create } = await load(wasm, library, () => importScript(loader));
  const pyodide = await loadPyodide({
    indexURL: NOWHERE,
    createPyodideModule: create,
    lockFileContents: LOCK,
    jsglobals: Object.create(null),
    env: { HOME: '/home/program', PYTHONHASHSEED: '0' },
    ...(snapshot === null ? { _makeSnapshot: true } : { _loadSnapshot: snapshot }),
  });
  let taken: Uint8Array | null = null;
  if (snapshot === null) {
    pyodide.runPython(WARM);
    taken = pyodide.makeMemorySnapshot();
  }
  limitFiles(pyodide);
  pyodide.runPython(PYTHON_HARNESS);
  const run = pyodide.globals.get('_sandbox_run');
  pyodide.runPython('del _sandbox_run');
  lockDown();

  return { snapshot: taken, run: (job, flooded) => runOnce(pyodide, run, memory, job, flooded) };
}

function runOnce(pyodide: Pyodide, run: (...args: string[]) => unknown, memory: MemoryLimit, { code, input, limits }: Job, flooded: () => void): { result: Result; spent: boolean } {
  const chunks: Uint8Array[] = [];
  let written = 0;
  const text = input.kind === 'stdin' ? input.text : input.args;
  let unread: Uint8Array | null = new TextEncoder().encode(input.kind === 'stdin' ? text : '');
  pyodide.setStdin({
    stdin: () => {
      const all = unread;
      unread = null;
      return all;
    },
  });
  pyodide.setStdout({
    write(bytes) {
      written += bytes.length;
      if (written > limits.outputBytes) {
        chunks.length = 0;
        flooded();
      } else chunks.push(bytes.slice());
      return bytes.length;
    },
  });
  pyodide.setStderr({ write: (bytes) => bytes.length });
  memory.bytes = limits.memoryBytes;
  let answer: unknown;
  try {
    answer = run(code, input.kind, text, input.kind === 'call' ? input.name : '');
  } catch (error) {
    return { result: memory.reached ? stopped('memory', limits) : broken(error), spent: true };
  }
  if (written > limits.outputBytes) return { result: stopped('output', limits), spent: true };
  const said = typeof answer === 'string' ? parsedOrNull(answer) : null;
  if (said?.['kind'] === 'ended') {
    const { value } = said;
    if (value === null || typeof value === 'string') return { result: { kind: 'ended', output: decode(chunks, written), value }, spent: false };
  }
  if (said?.['kind'] === 'memory') return { result: stopped('memory', limits), spent: true };
  if (said?.['kind'] === 'error' && typeof said['message'] === 'string') {
    const { message, line } = said;
    return { result: { kind: 'error', message: message.slice(0, MAX_MESSAGE), line: typeof line === 'number' ? line : null }, spent: false };
  }
  return { result: { kind: 'error', message: 'It broke the interpreter.', line: null }, spent: true };
}

/** What came through the interpreter as an error of JavaScript's: it will not run again. */
function broken(error: unknown): Result {
  const message = error instanceof Error ? error.message : '';
  if (/call stack|recursion/i.test(message)) return { kind: 'error', message: 'RecursionError: the calls went too deep', line: null };
  return { kind: 'error', message: 'It ended the interpreter.', line: null };
}

function decode(chunks: readonly Uint8Array[], length: number): string {
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return new TextDecoder().decode(all);
}

/** What the harness said, unless the program said something in its place. */
function parsedOrNull(text: string): Record<string, unknown> | null {
  try {
    const said = JSON.parse(text) as unknown;
    return typeof said === 'object' && said !== null ? { ...said } : null;
  } catch {
    return null;
  }
}

interface MemoryLimit {
  bytes: number;
  /** Whether more was asked for. */
  reached: boolean;
}

/** WASM's memory grows through this method only; refused, it is Python's MemoryError. */
function limitMemory(): MemoryLimit {
  const limit: MemoryLimit = { bytes: Infinity, reached: false };
  const grow = Reflect.get(WebAssembly.Memory.prototype, 'grow') as (this: WebAssembly.Memory, pages: number) => number;
  const PAGE = 65_536;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * PAGE > limit.bytes) {
      limit.reached = true;
      throw new RangeError('the memory is full');
    }
    return Reflect.apply(grow, this, [pages]);
  };
  return limit;
}

/** Files lie outside WASM's memory. */
function limitFiles({ FS }: Pyodide): void {
  const { MEMFS } = FS.filesystems;
  const { expandFileStorage } = MEMFS;
  let left = MAX_FILES;
  MEMFS.expandFileStorage = function (node, bytes) {
    const more = bytes - (node.contents?.length ?? 0);
    if (more > left) throw new RangeError('the files are too large');
    if (more > 0) left -= more;
    Reflect.apply(expandFileStorage, MEMFS, [node, bytes]);
  };
}

/**
 * Pyodide's two scripts, in what they take for a browser's worker wherever they are, and with the files that they would fetch: so nothing of Node is ever within
 * their reach, and there is one way to start.
 */
async function load(wasm: WebAssembly.Module, library: Uint8Array, loader: () => Promise<{ default: unknown }>): Promise<PyodidePackage & { create: unknown }> {
  const { default: create } = await loader();
  const { loadPyodide } = (await import('pyodide')) as unknown as PyodidePackage;
  Object.assign(globalThis, { fetch: () => Promise.resolve(new Response(library.slice())) });
  WebAssembly.instantiateStreaming = async (_, imports) => ({ module: wasm, instance: await WebAssembly.instantiate(wasm, imports) });
  return { loadPyodide, create };
}
