/** Rotary tables: cos and sin of position · θ^(−2i/size), each [positions, headDim/2]. */
import type { QwenConfig } from './config.ts';

export function rotaryTables(config: QwenConfig, positions: number): { cos: Float32Array; sin: Float32Array } {
  const half = config.headDim / 2;
  const cos = new Float32Array(positions * half);
  const sin = new Float32Array(positions * half);
  for (let position = 0; position < positions; position++) {
    for (let i = 0; i < half; i++) {
      // Rounded to f32 before the sine, as PyTorch's inverse frequencies are.
      const frequency = Math.fround(1 / config.ropeTheta ** ((2 * i) / config.headDim));
      const angle = Math.fround(position * frequency);
      cos[position * half + i] = Math.cos(angle);
      sin[position * half + i] = Math.sin(angle);
    }
  }
  return { cos, sin };
}
