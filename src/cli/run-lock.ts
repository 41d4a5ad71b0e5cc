/** One writer per run folder: a lock file with the number of the process that writes. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { PlaygroundError } from '../runtime/errors.ts';

const LOCK = 'run.lock';
const lockSchema = z.object({ pid: z.int().min(1), host: z.string() });

/**
 * Takes the folder, which is made where there is none, and returns how to give it back. The lock of a process that is no more is stale and
 * is taken over. Throws a PlaygroundError (`run-locked`) while another one writes there.
 */
export function lockRun(folder: string): () => void {
  const path = join(folder, LOCK);
  try {
    mkdirSync(folder, { recursive: true });
    if (!isHeld(path)) rmSync(path, { force: true });
    writeFileSync(path, `${JSON.stringify({ pid: process.pid, host: hostname() })}\n`, { flag: 'wx' });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') throw locked(folder, path, cause);
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PlaygroundError('not-writable', `${folder} cannot be written: ${reason}.`, 'Choose another folder.', { cause });
  }
  return () => rmSync(path, { force: true });
}

/** Of another machine's processes nothing is known from here. A lock that cannot be read was not finished by a process that died. */
function isHeld(path: string): boolean {
  const owner = readLock(path);
  if (owner === null) return false;
  if (owner.host !== hostname()) return true;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    // Not permitted: there is such a process, of somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readLock(path: string): z.output<typeof lockSchema> | null {
  try {
    return lockSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

function locked(folder: string, path: string, cause: Error): PlaygroundError {
  const owner = readLock(path);
  const who = owner === null ? 'Another process' : `Process ${owner.pid} on ${owner.host}`;
  return new PlaygroundError('run-locked', `${who} is writing to ${folder}.`, `Wait for it or end it. If it is no run of this program, delete ${path}.`, { cause });
}
