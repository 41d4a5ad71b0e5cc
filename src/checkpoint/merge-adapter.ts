/** A LoRA adapter folded into its base: W + s·B·A, after which the model needs no adapter. */
import type { TensorMap } from '../engine/types.ts';
import type { LoraSettings } from '../marft/settings.ts';
import { loraScale } from '../qwen/lora.ts';
import { PlaygroundError } from '../runtime/errors.ts';

const PREFIX = 'base_model.model.';
const DOWN = '.lora_A.weight';
const UP = '.lora_B.weight';

/** New weights by Hugging Face name for the tensors that the adapter changes; throws `adapter-mismatch` when they do not fit the base. */
export function mergeAdapter(
  base: ReadonlyMap<string, { dims: readonly number[]; data: Float32Array }>,
  adapter: TensorMap,
  lora: Pick<LoraSettings, 'rank' | 'alpha' | 'rslora'>,
): TensorMap {
  const { rank } = lora;
  const merged: TensorMap = new Map();
  for (const [name, down] of adapter) {
    if (!name.endsWith(DOWN)) continue;
    const path = name.slice(PREFIX.length, -DOWN.length);
    const up = adapter.get(`${PREFIX}${path}${UP}`);
    const weight = base.get(`${path}.weight`);
    const [out = 0, input = 0] = weight?.dims ?? [];
    if (!weight || !up || down.dims.join() !== `${rank},${input}` || up.dims.join() !== `${out},${rank}`) {
      throw new PlaygroundError('adapter-mismatch', `The adapter's matrices for ${path} do not fit the model.`, 'Use the model that the adapter was trained on.');
    }
    merged.set(`${path}.weight`, { dims: [out, input], data: addProduct(weight.data, up.data, down.data, [out, rank, input], loraScale(lora)) });
  }
  return merged;
}

/** weight [out, in] + scale · up [out, rank] · down [rank, in], summed in double precision. */
function addProduct(
  weight: Float32Array,
  up: Float32Array,
  down: Float32Array,
  [out, rank, input]: readonly [number, number, number],
  scale: number,
): Float32Array {
  const result = new Float32Array(weight.length);
  const row = new Float64Array(input);
  for (let o = 0; o < out; o++) {
    row.fill(0);
    for (let r = 0; r < rank; r++) {
      const factor = scale * (up[o * rank + r] ?? 0);
      for (let i = 0; i < input; i++) row[i] = (row[i] ?? 0) + factor * (down[r * input + i] ?? 0);
    }
    for (let i = 0; i < input; i++) result[o * input + i] = (weight[o * input + i] ?? 0) + (row[i] ?? 0);
  }
  return result;
}
