/** The worker's end: starts an interpreter, then answers one question after the other. */
import type { ImportScript, Interpreter } from './interpreter.ts';
import { lockDown, silence } from './lockdown.ts';
import type { FromWorker, Parts, ToWorker } from './protocol.ts';
import { stopped } from './stopped.ts';

/** Returns what takes the host's messages. `post` must have been kept from the global object, which goes. */
export function serve(post: (message: FromWorker) => void, importScript: ImportScript): (message: ToWorker) => void {
  let interpreter: Interpreter | null = null;

  async function start(parts: Parts): Promise<void> {
    silence();
    interpreter = await startInterpreter(parts, importScript);
    post({ type: 'started', snapshot: interpreter.snapshot });
  }

  return (message) => {
    if (message.type === 'start') {
      start(message.parts).catch((error: unknown) => post({ type: 'failed', message: error instanceof Error ? error.message : String(error) }));
      return;
    }
    const { job } = message;
    try {
      if (!interpreter) throw new Error('start comes first');
      post({ type: 'result', ...interpreter.run(job, () => post({ type: 'result', result: stopped('output', job.limits), spent: true })) });
    } catch (error) {
      const memory = error instanceof RangeError && /memory|allocation/i.test(error.message);
      post({ type: 'result', result: memory ? stopped('memory', job.limits) : { kind: 'error', message: 'It broke the interpreter.', line: null }, spent: true });
    }
  };
}

async function startInterpreter(parts: Parts, importScript: ImportScript): Promise<Interpreter> {
  if (parts.language === 'python') return (await import('./python.ts')).startPython(parts, importScript);
  const interpreter = await (await import('./javascript.ts')).startJavaScript(parts);
  lockDown();
  return interpreter;
}
