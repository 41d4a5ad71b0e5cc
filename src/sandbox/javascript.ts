/** JavaScript in QuickJS: an engine in WASM, with a fresh runtime for every input. */
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSContext, type QuickJSHandle, type QuickJSRuntime, type QuickJSWASMModule } from 'quickjs-emscripten-core';
import type { Interpreter } from './interpreter.ts';
import { JAVASCRIPT_PRELUDE } from './javascript-prelude.ts';
import type { JavaScriptParts, Job } from './protocol.ts';
import { stopped } from './stopped.ts';
import type { Result } from './types.ts';

const FILE = 'solution.js';
/** Deep enough for honest recursion, and well within the worker's own stack. */
const STACK_BYTES = 512 * 1024;
const MAX_MESSAGE = 500;
/** QuickJS lives in WASM's memory with the input's copy and its own; this much of it is the program's at most. */
const MAX_MEMORY = 512 * 1024 * 1024;

export async function startJavaScript({ wasm }: JavaScriptParts): Promise<Interpreter> {
  const engine = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: wasm }));
  return { snapshot: null, run: (job) => runOnce(engine, job) };
}

function runOnce(engine: QuickJSWASMModule, job: Job): { result: Result; spent: boolean } {
  const runtime = engine.newRuntime();
  const context = runtime.newContext();
  let result: Result = { kind: 'error', message: 'It broke the interpreter.', line: null };
  try {
    result = runIn(runtime, context, job);
    context.dispose();
    runtime.dispose();
    return { result, spent: false };
  } catch {
    // The engine has lost count of its values, as when it was stopped among promises: what came of the program stands, the engine is given up.
    return { result, spent: true };
  }
}

/** Why the engine was told to stop; null while it was not. */
interface Watch {
  reason: 'timeout' | 'output' | null;
}

function runIn(runtime: QuickJSRuntime, context: QuickJSContext, { code, input, limits }: Job): Result {
  const watch: Watch = { reason: null };
  const deadline = performance.now() + limits.testMs;
  runtime.setMemoryLimit(Math.min(limits.memoryBytes, MAX_MEMORY));
  runtime.setMaxStackSize(STACK_BYTES);
  runtime.setInterruptHandler(() => {
    if (watch.reason === null && performance.now() > deadline) watch.reason = 'timeout';
    return watch.reason !== null;
  });
  let output = '';
  const write = context.newFunction('write', (text) => {
    const printed = context.getString(text);
    if (output.length + printed.length > limits.outputBytes) watch.reason = 'output';
    else output += printed;
  });
  const text = context.newString(input.kind === 'stdin' ? input.text : '');
  const held: QuickJSHandle[] = [write, text];
  const hold = (handle: QuickJSHandle): QuickJSHandle => {
    held.push(handle);
    return handle;
  };
  /** The value of a step; null, and `fault` set, where it threw. */
  let fault: Result | null = null;
  const step = (outcome: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle | null => {
    if (outcome.error) {
      fault = faultOf(context, outcome.error, watch);
      outcome.error.dispose();
      return null;
    }
    return hold(outcome.value);
  };
  try {
    const prelude = step(context.evalCode(JAVASCRIPT_PRELUDE, 'prelude.js'));
    const call = prelude && step(context.callFunction(prelude, context.undefined, write, text));
    if (!call || !step(context.evalCode(code, FILE, { type: 'global' }))) return fault ?? lost();
    let value: string | null = null;
    if (input.kind === 'call') {
      const name = JSON.stringify(input.name);
      const called = step(
        context.evalCode(
          `typeof ${input.name} === 'function' ? ${input.name} : typeof Solution === 'function' && typeof Solution.prototype[${name}] === 'function' ? (instance => (...args) => instance[${name}](...args))(new Solution()) : undefined`,
          'call.js',
        ),
      );
      if (!called) return fault ?? lost();
      if (context.typeof(called) !== 'function') return { kind: 'error', message: `There is no function ${input.name}.`, line: null };
      const returned = step(context.callFunction(call, context.undefined, called, hold(context.newString(input.args))));
      if (!returned) return fault ?? lost();
      value = context.getString(returned);
    }
    const jobs = runtime.executePendingJobs();
    if (jobs.error) {
      fault = faultOf(context, jobs.error, watch);
      jobs.error.dispose();
      return fault;
    }
    // What was stopped may have caught the stop.
    if (watch.reason !== null) return stopped(watch.reason, limits);
    return { kind: 'ended', output, value };
  } finally {
    runtime.removeInterruptHandler();
    for (const handle of held) if (handle.alive) handle.dispose();
  }

  function faultOf(of: QuickJSContext, error: QuickJSHandle, seen: Watch): Result {
    if (seen.reason !== null) return stopped(seen.reason, limits);
    const name = property(of, error, 'name');
    const message = property(of, error, 'message') ?? describe(of, error);
    if (seen.reason !== null) return stopped(seen.reason, limits);
    if (message.includes('out of memory') || message === 'null') return stopped('memory', limits);
    const line = new RegExp(`${FILE.replace('.', '\\.')}:(\\d+)`).exec(property(of, error, 'stack') ?? '')?.[1];
    return { kind: 'error', message: (name === null ? message : `${name}: ${message}`).slice(0, MAX_MESSAGE), line: line === undefined ? null : Number(line) };
  }
}

/** A text property of whatever was thrown; null where it has none. Getters run under the same watch. */
function property(context: QuickJSContext, thrown: QuickJSHandle, name: string): string | null {
  const type = context.typeof(thrown);
  if (type !== 'object' && type !== 'function') return null;
  try {
    const handle = context.getProp(thrown, name);
    const text = context.typeof(handle) === 'string' ? context.getString(handle) : null;
    handle.dispose();
    return text;
  } catch {
    return null;
  }
}

function describe(context: QuickJSContext, thrown: QuickJSHandle): string {
  const type = context.typeof(thrown);
  if (type === 'string') return `thrown: ${context.getString(thrown)}`;
  if (type === 'number') return `thrown: ${context.getNumber(thrown)}`;
  return type === 'object' && context.sameValue(thrown, context.null) ? 'null' : `thrown: a value of type ${type}`;
}

/** A step that gave nothing has said why. */
function lost(): never {
  throw new Error('a step ended without a value');
}
