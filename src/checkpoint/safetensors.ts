/**
 * The safetensors format: eight bytes of header length, a JSON header, then the tensors' bytes. A header is hostile until parsed:
 * it is bounded before it is used, and every tensor must lie where it says, in the size its shape asks for, one after the other
 * without overlap or gap.
 */
import { bfloat16ToFloat32, float16ToFloat32 } from '../onnx/half-floats.ts';
import { PlaygroundError } from '../runtime/errors.ts';

/** The format's own limit, in bytes; the header of a large model is a few hundred kilobytes. */
const MAX_HEADER_BYTES = 100_000_000;
const LENGTH_BYTES = 8;
const MAX_RANK = 8;
/** What Python's libraries call parameters, and nothing that could be taken for a path or for an object's own machinery. */
const SAFE_NAME = /^(?!__proto__$)[\w.-]{1,512}$/;

/** Sizes of the format's element types in bytes. All are understood in a header; F32, F16 and BF16 can be read. */
const BYTES_PER_ELEMENT = {
  BOOL: 1, U8: 1, I8: 1, F8_E4M3: 1, F8_E5M2: 1, F8_E8M0: 1,
  U16: 2, I16: 2, F16: 2, BF16: 2,
  U32: 4, I32: 4, F32: 4,
  U64: 8, I64: 8, F64: 8, C64: 8,
} as const;
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

/** Bytes [start, end) of the file that `parseHeader` takes. */
export function headerRange(length: number): [start: number, end: number] {
  return [LENGTH_BYTES, LENGTH_BYTES + length];
}

/**
 * `header` is the file's `headerRange(length)`. `fileBytes` is the file's size where it is known. Throws `checkpoint-broken` for
 * anything but a whole, well-formed header.
 */
export function parseHeader(header: Uint8Array, length: number, fileBytes?: number): TensorIndex {
  if (header.length !== length) broken('it ends inside its header');
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
    if (name === '__metadata__') continue;
    if (!SAFE_NAME.test(name)) broken(`it names a tensor ${JSON.stringify(name.slice(0, 80))}`);
    index.set(name, entry(name, value, dataStart));
  }
  let end = dataStart;
  for (const [name, tensor] of [...index].sort(([, a], [, b]) => a.start - b.start || a.end - b.end)) {
    if (tensor.start < end) broken(`${name} overlaps another tensor`);
    // The format forbids gaps: bytes that no tensor owns could hide anything.
    if (tensor.start > end) broken(`there is a gap before ${name}`);
    end = tensor.end;
  }
  if (fileBytes !== undefined && end !== fileBytes) broken(`it has ${fileBytes} bytes but its tensors end at byte ${end}`);
  return index;
}

function entry(name: string, value: unknown, dataStart: number): TensorEntry {
  const { dtype, shape, data_offsets: offsets } = (value ?? {}) as Record<string, unknown>;
  if (typeof dtype !== 'string' || !Object.hasOwn(BYTES_PER_ELEMENT, dtype)) broken(`${name} is of an unknown type`);
  const isCount = (n: unknown): n is number => Number.isSafeInteger(n) && (n as number) >= 0;
  if (!Array.isArray(shape) || shape.length > MAX_RANK || !shape.every(isCount)) broken(`the shape of ${name} is not a list of sizes`);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount)) broken(`${name} does not say where it lies`);
  const [start, end] = offsets as [number, number];
  const type = dtype as TensorType;
  const bytes = (shape as number[]).reduce((product, size) => product * size, BYTES_PER_ELEMENT[type]);
  if (end - start !== bytes) broken(`${name} has ${end - start} bytes where its shape asks for ${bytes}`);
  return { dtype: type, shape: [...(shape as number[])], start: dataStart + start, end: dataStart + end };
}

/** A tensor's bytes as f32. Throws `checkpoint-unsupported` for element types that no model here uses. */
export function toFloat32(bytes: Uint8Array, dtype: TensorType): Float32Array {
  switch (dtype) {
    case 'F32': {
      // A view into a larger buffer may not be aligned, and would keep all of that buffer alive.
      const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : copyOf(bytes);
      return new Float32Array(own.buffer, 0, own.byteLength / 4);
    }
    case 'F16':
      return float16ToFloat32(halves(bytes));
    case 'BF16':
      return bfloat16ToFloat32(halves(bytes));
    default:
      throw new PlaygroundError(
        'checkpoint-unsupported',
        `The checkpoint holds weights of type ${dtype}; F32, F16 and BF16 can be read.`,
        'Choose a version of the model that is not quantised.',
      );
  }
}

function halves(bytes: Uint8Array): Uint16Array {
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : copyOf(bytes);
  return new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 2);
}

/** With a buffer of its own; a `slice` of Node's Buffer would be another view into the same. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

/** Reads a whole file that is in memory: tensors by name, in f32. */
export function readSafetensors(file: Uint8Array): Map<string, { dims: number[]; data: Float32Array }> {
  return readWith(file, toFloat32);
}

/** Element types that can be written, and read back as they are. */
export type Numbers = Float32Array | Float64Array | Int32Array;
const NUMBERS = { F32: Float32Array, F64: Float64Array, I32: Int32Array } as const;

/** Reads a whole file that is in memory: tensors by name, each in its own type. Throws `checkpoint-unsupported` for a type not in `Numbers`. */
export function readNumbers(file: Uint8Array): Map<string, { dims: number[]; data: Numbers }> {
  return readWith(file, (bytes, dtype) => {
    if (dtype !== 'F64' && dtype !== 'I32') return toFloat32(bytes, dtype);
    return new NUMBERS[dtype](new Uint8Array(bytes).buffer);
  });
}

function readWith<T>(file: Uint8Array, convert: (bytes: Uint8Array, dtype: TensorType) => T): Map<string, { dims: number[]; data: T }> {
  const length = headerLength(file);
  const [start, end] = headerRange(length);
  const tensors = new Map<string, { dims: number[]; data: T }>();
  for (const [name, tensor] of parseHeader(file.subarray(start, end), length, file.length)) {
    tensors.set(name, { dims: tensor.shape, data: convert(file.subarray(tensor.start, tensor.end), tensor.dtype) });
  }
  return tensors;
}

function typeOf(data: Numbers): keyof typeof NUMBERS {
  if (data instanceof Float32Array) return 'F32';
  return data instanceof Float64Array ? 'F64' : 'I32';
}

/**
 * A file of the tensors in their own types, marked as PyTorch's as Python's libraries expect; tensors in order of their names, so that
 * the same tensors give the same bytes, for f32 those that Python's safetensors writes. Throws a RangeError for tensors that cannot be read back.
 */
export function writeSafetensors(tensors: ReadonlyMap<string, { dims: readonly number[]; data: Numbers }>): Uint8Array {
  const ordered = [...tensors].sort(([a], [b]) => (a < b ? -1 : 1));
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let offset = 0;
  for (const [name, { dims, data }] of ordered) {
    const size = dims.reduce((product, dim) => product * dim, 1);
    if (!SAFE_NAME.test(name) || name === '__metadata__') throw new RangeError(`${name} is no name for a tensor`);
    if (dims.length > MAX_RANK || size !== data.length) throw new RangeError(`${name} has ${data.length} values for the shape [${dims.join()}]`);
    header[name] = { dtype: typeOf(data), shape: dims, data_offsets: [offset, offset + data.byteLength] };
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
