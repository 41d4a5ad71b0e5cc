/** The backend of the command line: ONNX Runtime's CPU build for Node. */
import * as ort from 'onnxruntime-node';
import type { Backend } from './backend.ts';
import { collectGarbage } from './collect.ts';
import { OrtBackend } from './ort-backend.ts';

/** Bytes of disposed tensors that may wait for V8 to notice them. */
const GARBAGE = 256 * 1024 * 1024;

/** `threads`: as many as there are; a model takes them if it is large enough (`Backend.suit`). */
export function createNodeBackend({ threads = 1 }: { threads?: number } = {}): Backend {
  return new OrtBackend(ort, { kind: 'cpu', executionProviders: ['cpu'], threads, garbage: { bytes: GARBAGE, collect: collectGarbage } });
}
