/** Sandboxes in workers of the page. Their files come from beside it, and only when something is to be run. */
import quickjs from '@jitl/quickjs-wasmfile-release-sync/wasm?url';
import loader from 'pyodide/pyodide.asm.mjs?url';
import pythonWasm from 'pyodide/pyodide.asm.wasm?url';
import library from 'pyodide/python_stdlib.zip?url';
import type { Channel, FromWorker, Parts, Platform } from '../../sandbox/protocol.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import type { Language, Sandbox } from '../../sandbox/types.ts';

/** From so many cores on two programs run side by side. */
const MANY_CORES = 6;

export function webSandbox(): Sandbox {
  return createSandbox(WEB, navigator.hardwareConcurrency >= MANY_CORES ? 2 : 1);
}

const WEB: Platform = { spawn, parts };

async function parts(language: Language): Promise<Parts> {
  if (language === 'javascript') return { language, wasm: await WebAssembly.compile(await bytesOf(quickjs)) };
  const [wasm, files] = await Promise.all([bytesOf(pythonWasm).then((bytes) => WebAssembly.compile(bytes)), bytesOf(library)]);
  return { language, wasm, loader: addressOf(loader), library: new Uint8Array(files), snapshot: null };
}

async function bytesOf(file: string): Promise<ArrayBuffer> {
  const response = await fetch(addressOf(file));
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return response.arrayBuffer();
}

/** In a build they are relative to this script. */
function addressOf(file: string): string {
  return new URL(file, import.meta.url).href;
}

function spawn(): Channel {
  const worker = new Worker(new URL('../../../workers/sandbox.ts', import.meta.url), { type: 'module', name: 'sandbox' });
  return {
    post: (message) => worker.postMessage(message),
    listen(onMessage, onDeath) {
      worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => onMessage(data));
      const die = (event: Event): void => {
        event.preventDefault();
        worker.terminate();
        onDeath('crash');
      };
      worker.addEventListener('error', die, { once: true });
      worker.addEventListener('messageerror', die, { once: true });
    },
    kill: () => worker.terminate(),
  };
}
