/** The two 16-bit float formats of checkpoints, widened to f32 without loss. */

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
