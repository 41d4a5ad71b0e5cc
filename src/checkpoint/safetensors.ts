/**
 * The safetensors format: eight bytes of header length, a JSON header, then the tensors' bytes. A header is hostile until parsed:
 * it is bounded before it is used, and every tensor must lie where it says, in the size its shape asks for, without overlap.
 */
import { PlaygroundError } from '../runtime/errors.ts';

/** The format's own limit, in bytes; the header of a large model is a few hundred kilobytes. */
const MAX_HEADER_BYTES = 100_000_000;
const LENGTH_BYTES = 8;
const MAX_RANK = 8;

const BYTES_PER_ELEMENT = { F32: 4, F16: 2, BF16: 2 } as const;
export type TensorType = keyof typeof BYTES_PER_ELEMENT;

export interface TensorEntry {
  dtype: TensorType;
  shape: number[];
  /** Bytes [start, end) of the whole file. */
  start: number;
  end: number;
}

/** Tensors by name. */
export type TensorIndex = Map<string, TensorEntry>;

function broken(message: string, cause?: unknown): never {
  throw new PlaygroundError('checkpoint-broken', `The safetensors file is broken: ${message}.`, 'Download or export the file again.', { cause });
}

/** Length of the header in bytes, from the file's first eight bytes. Throws `checkpoint-broken`. */
export function headerLength(firstBytes: Uint8Array): number {
  if (firstBytes.length < LENGTH_BYTES) broken('it ends inside its first eight bytes');
  const length = new DataView(firstBytes.buffer, firstBytes.byteOffset).getBigUint64(0, true);
  if (length > BigInt(MAX_HEADER_BYTES)) broken(`a header of ${length} bytes is beyond the format's limit`);
  return Number(length);
}

/** Where the header begins and what `parseHeader` needs. */
export function headerRange(length: number): [start: number, end: number] {
  return [LENGTH_BYTES, LENGTH_BYTES + length];
}

/** Throws `checkpoint-broken` for anything but a well-formed header. `fileBytes` is the file's size where it is known. */
export function parseHeader(header: Uint8Array, fileBytes?: number): TensorIndex {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(header));
  } catch (cause) {
    broken('its header is not JSON', cause);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) broken('its header is not an object');
  const dataStart = LENGTH_BYTES + header.length;
  const index: TensorIndex = new Map();
  for (const [name, value] of Object.entries(json)) {
    if (name !== '__metadata__') index.set(name, entry(name, value, dataStart));
  }
  let end = dataStart;
  for (const [name, tensor] of [...index].sort(([, a], [, b]) => a.start - b.start)) {
    if (tensor.start < end) broken(`${name} overlaps another tensor`);
    end = tensor.end;
  }
  if (fileBytes !== undefined && end > fileBytes) broken(`it has ${fileBytes} bytes but its tensors reach byte ${end}`);
  return index;
}

function entry(name: string, value: unknown, dataStart: number): TensorEntry {
  const { dtype, shape, data_offsets: offsets } = (value ?? {}) as Record<string, unknown>;
  if (typeof dtype !== 'string' || !Object.hasOwn(BYTES_PER_ELEMENT, dtype)) broken(`${name} is of type ${String(dtype)}; F32, F16 and BF16 are read`);
  const isCount = (n: unknown): n is number => Number.isSafeInteger(n) && (n as number) >= 0;
  if (!Array.isArray(shape) || shape.length > MAX_RANK || !shape.every(isCount)) broken(`the shape of ${name} is not a list of sizes`);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount)) broken(`${name} does not say where it lies`);
  const [start, end] = offsets as [number, number];
  const type = dtype as TensorType;
  const bytes = (shape as number[]).reduce((product, size) => product * size, BYTES_PER_ELEMENT[type]);
  if (end - start !== bytes) broken(`${name} has ${end - start} bytes where its shape asks for ${bytes}`);
  return { dtype: type, shape: [...(shape as number[])], start: dataStart + start, end: dataStart + end };
}

/** A tensor's bytes as f32. */
export function toFloat32(bytes: Uint8Array, dtype: TensorType): Float32Array {
  // A copy, because a view into a larger buffer may not be aligned.
  const { buffer } = bytes.slice();
  if (dtype === 'F32') return new Float32Array(buffer);
  const halves = new Uint16Array(buffer);
  if (dtype === 'BF16') {
    const words = Uint32Array.from(halves, (half) => half << 16);
    return new Float32Array(words.buffer);
  }
  return Float32Array.from(halves, halfToNumber);
}

/** IEEE 754 half precision. */
function halfToNumber(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Reads a whole file that is in memory: tensors by name, in f32. */
export function readSafetensors(file: Uint8Array): Map<string, { dims: number[]; data: Float32Array }> {
  const [start, end] = headerRange(headerLength(file));
  if (end > file.length) broken('it ends inside its header');
  const tensors = new Map<string, { dims: number[]; data: Float32Array }>();
  for (const [name, tensor] of parseHeader(file.subarray(start, end), file.length)) {
    tensors.set(name, { dims: tensor.shape, data: toFloat32(file.subarray(tensor.start, tensor.end), tensor.dtype) });
  }
  return tensors;
}

/** An f32 file, tensors in order of their names, marked as PyTorch's as Python's libraries expect. */
export function writeSafetensors(tensors: ReadonlyMap<string, { dims: readonly number[]; data: Float32Array }>): Uint8Array {
  const ordered = [...tensors].sort(([a], [b]) => (a < b ? -1 : 1));
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let offset = 0;
  for (const [name, { dims, data }] of ordered) {
    header[name] = { dtype: 'F32', shape: dims, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  // Padded with spaces to eight bytes, as the reference implementation does, so that tensors are aligned.
  let text = JSON.stringify(header);
  text += ' '.repeat((LENGTH_BYTES - (new TextEncoder().encode(text).length % LENGTH_BYTES)) % LENGTH_BYTES);
  const bytes = new TextEncoder().encode(text);
  const file = new Uint8Array(LENGTH_BYTES + bytes.length + offset);
  new DataView(file.buffer).setBigUint64(0, BigInt(bytes.length), true);
  file.set(bytes, LENGTH_BYTES);
  let position = LENGTH_BYTES + bytes.length;
  for (const [, { data }] of ordered) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), position);
    position += data.byteLength;
  }
  return file;
}
