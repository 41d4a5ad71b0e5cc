/** The entry point of a sandbox's worker: what it needs of the global object is kept here, because all of that goes. */
import { serve } from '../src/sandbox/serve.ts';

const post = postMessage.bind(self);
const take = serve(
  (message) => post(message),
  (address) => import(/* @vite-ignore */ address) as Promise<{ default: unknown }>,
);
addEventListener('message', ({ data }: MessageEvent<Parameters<typeof take>[0]>) => take(data));
