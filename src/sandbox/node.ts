/** Sandboxes in threads of Node. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Channel, FromWorker, Parts, Platform } from './protocol.ts';
import { createSandbox } from './sandbox.ts';
import type { Language, Sandbox } from './types.ts';

const resolve = createRequire(import.meta.url).resolve;

/** Megabytes of JavaScript's own memory in a thread, WASM's not counted. */
const HEAP_MB = 512;

export function nodeSandbox(width = 1): Sandbox {
  return createSandbox(NODE, width);
}

const NODE: Platform = { spawn, parts };

async function parts(language: Language): Promise<Parts> {
  const compile = async (name: string): Promise<WebAssembly.Module> => WebAssembly.compile(await readFile(resolve(name)));
  if (language === 'javascript') return { language, wasm: await compile('@jitl/quickjs-wasmfile-release-sync/wasm') };
  return {
    language,
    wasm: await compile('pyodide/pyodide.asm.wasm'),
    loader: pathToFileURL(resolve('pyodide/pyodide.asm.mjs')).href,
    library: new Uint8Array(await readFile(resolve('pyodide/python_stdlib.zip'))),
    snapshot: null,
  };
}

function spawn(): Channel {
  const worker = new Worker(new URL('./node-entry.mjs', import.meta.url), {
    env: {},
    // No loaders of the parent's: the entry brings its own.
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  // A program's run must not keep the process alive by itself.
  worker.unref();
  let killed = false;
  return {
    post: (message) => worker.postMessage(message),
    listen(onMessage, onDeath) {
      worker.on('message', (message: FromWorker) => !killed && onMessage(message));
      let told = false;
      const die = (error: unknown): void => {
        if (killed || told) return;
        told = true;
        onDeath(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash');
      };
      worker.on('error', die);
      worker.on('exit', () => die(null));
    },
    kill() {
      killed = true;
      void worker.terminate();
    },
  };
}
