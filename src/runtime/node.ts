/** The backend of the command line: ONNX Runtime's CPU build for Node. */
import * as ort from 'onnxruntime-node';
import type { Backend } from './backend.ts';
import { OrtBackend } from './ort-backend.ts';

/**
 * One thread an operator by default: for models of a few hundred thousand parameters a second one costs more in hand-over
 * than it computes, and a single thread makes sums independent of the machine's load.
 */
export function createNodeBackend(options: { threads?: number } = {}): Backend {
  return new OrtBackend(ort, { kind: 'cpu', executionProviders: ['cpu'], threads: options.threads ?? 1 });
}
