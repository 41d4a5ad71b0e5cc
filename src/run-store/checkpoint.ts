/**
 * A checkpoint: two files, `iteration-<n>.safetensors` with all numbers of the trainer's state and `iteration-<n>.json`, the manifest, with
 * the rest. The manifest is written last and says how the other file must be, so a checkpoint is whole or is not there.
 */
import { z } from 'zod';
import { readNumbers, writeSafetensors } from '../checkpoint/safetensors.ts';
import { sha256 } from '../checkpoint/sha256.ts';
import type { TrainerState } from '../marft/trainer-state.ts';
import { PlaygroundError } from '../runtime/errors.ts';

z.config({ jitless: true });

const FORMAT = 'marft-checkpoint';
/** The version of the format that this program writes and reads. */
export const CHECKPOINT_VERSION = 1;

const manifestSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(CHECKPOINT_VERSION),
  iteration: z.int().min(0),
  droppedInARow: z.int().min(0),
  /** The whole document; to be parsed as one by whoever uses it. */
  experiment: z.unknown(),
  /** Bit-identical going on needs the same. */
  backend: z.enum(['cpu', 'wasm', 'webgpu']),
  /** Name and version of the base, e.g. a commit of the Hub or a hash. */
  model: z.string().max(1000),
  /** Not to be removed when newer ones come. */
  kept: z.boolean(),
  savedAt: z.iso.datetime(),
  tensors: z.strictObject({ bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  /** What the keeper of the run wants to find again. */
  record: z.unknown(),
});

export type Manifest = z.output<typeof manifestSchema>;

/** What identifies a run: going on is refused where it differs. */
export type RunIdentity = Pick<Manifest, 'experiment' | 'backend' | 'model'>;

export interface Checkpoint {
  manifest: Manifest;
  state: TrainerState;
}

const MANIFEST_NAME = /^iteration-(0|[1-9]\d{0,8})\.json$/;
const TENSORS_NAME = /^iteration-(0|[1-9]\d{0,8})\.safetensors$/;

export const manifestName = (iteration: number): string => `iteration-${iteration}.json`;
export const tensorsName = (iteration: number): string => `iteration-${iteration}.safetensors`;

/** Which iteration's file of that kind the name stands for; null for other files. */
export function iterationOf(name: string, kind: 'manifest' | 'tensors'): number | null {
  const number = (kind === 'manifest' ? MANIFEST_NAME : TENSORS_NAME).exec(name)?.[1];
  return number === undefined ? null : Number(number);
}

/** Both files' contents. */
export async function encodeCheckpoint(
  { iteration, droppedInARow, tensors }: TrainerState,
  rest: RunIdentity & Pick<Manifest, 'kept' | 'record'>,
): Promise<{ manifest: Uint8Array; tensors: Uint8Array }> {
  const file = writeSafetensors(tensors);
  const manifest: Manifest = {
    format: FORMAT,
    version: CHECKPOINT_VERSION,
    iteration,
    droppedInARow,
    experiment: rest.experiment,
    backend: rest.backend,
    model: rest.model,
    kept: rest.kept,
    savedAt: new Date().toISOString(),
    tensors: { bytes: file.length, sha256: await sha256(file) },
    record: rest.record,
  };
  return { manifest: new TextEncoder().encode(`${JSON.stringify(manifest)}\n`), tensors: file };
}

/** Throws a PlaygroundError (`checkpoint-broken`, `checkpoint-version`) for a manifest that is none of this version or of that iteration. */
export function decodeManifest(file: Uint8Array, iteration: number): Manifest {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(file));
  } catch (cause) {
    return broken('its manifest is not JSON', cause);
  }
  if (typeof json === 'object' && json !== null && 'version' in json && typeof json.version === 'number' && json.version > CHECKPOINT_VERSION) {
    throw new PlaygroundError(
      'checkpoint-version',
      `The checkpoint is of version ${json.version}; this program reads version ${CHECKPOINT_VERSION}.`,
      'Go on with the release that wrote it, or a newer one.',
    );
  }
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success) return broken('its manifest is incomplete', parsed.error);
  if (parsed.data.iteration !== iteration) return broken('its manifest is another iteration’s');
  return parsed.data;
}

/** Throws a PlaygroundError (`checkpoint-broken`) for a file that is not the one that the manifest was written with. */
export async function decodeState({ iteration, droppedInARow, tensors }: Manifest, file: Uint8Array | null): Promise<TrainerState> {
  if (file === null) return broken('its tensors are missing');
  if (file.length !== tensors.bytes) return broken(`its tensors have ${file.length} bytes instead of ${tensors.bytes}`);
  if ((await sha256(file)) !== tensors.sha256) return broken('its tensors are not those that were saved');
  return { iteration, droppedInARow, tensors: readNumbers(file) };
}

function broken(reason: string, cause?: unknown): never {
  throw new PlaygroundError('checkpoint-broken', `The checkpoint is damaged: ${reason}.`, 'Go on from an earlier one.', { cause });
}
