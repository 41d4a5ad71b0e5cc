/** The two 16-bit float formats: both widened to f32 without loss, and f32 rounded to IEEE 754's. */

/** Brain floats are the upper halves of f32's words. */
export function bfloat16ToFloat32(halves: Uint16Array): Float32Array {
  const words = new Uint32Array(halves.length);
  for (let i = 0; i < halves.length; i++) words[i] = (halves[i] ?? 0) << 16;
  return new Float32Array(words.buffer);
}

/** IEEE 754 half precision, through a table of all its 65,536 values: a model has hundreds of millions of them. */
export function float16ToFloat32(halves: Uint16Array): Float32Array {
  table ??= Float32Array.from({ length: 0x10000 }, (_, half) => halfToNumber(half));
  const floats = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) floats[i] = table[halves[i] ?? 0] ?? 0;
  return floats;
}

let table: Float32Array | null = null;

function halfToNumber(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The largest finite number of half precision; what rounds beyond it becomes infinite. */
export const LARGEST_HALF = 65_504;

/** Rounded to the nearest half, ties to even, as hardware and PyTorch round. */
export function float32ToFloat16(floats: Float32Array): Uint16Array {
  const words = new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
  const halves = new Uint16Array(floats.length);
  for (let i = 0; i < floats.length; i++) halves[i] = wordToHalf(words[i] ?? 0);
  return halves;
}

function wordToHalf(word: number): number {
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fff_ffff;
  if (magnitude > 0x7f80_0000) return sign | 0x7e00; // not a number
  if (magnitude >= 0x4780_0000) return sign | 0x7c00; // 2^16 and more
  if (magnitude < 0x3880_0000) {
    // Below 2^-14: adding 1/2 lines the bits that remain up at the end of the word, and rounds.
    scratch[0] = magnitude;
    const shifted = (scratchFloat[0] ?? 0) + 0.5;
    scratchFloat[0] = shifted;
    return sign | ((scratch[0] ?? 0) - 0x3f00_0000);
  }
  const odd = (magnitude >>> 13) & 1;
  return sign | ((magnitude - 0x3800_0000 + 0xfff + odd) >>> 13);
}

const scratch = new Uint32Array(1);
const scratchFloat = new Float32Array(scratch.buffer);
