/** Writes fixtures/adapter-by-us, an adapter for fixtures/qwen2-tied; `make_fixtures.py` lets PEFT read it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { adapterFiles } from '../../src/checkpoint/peft.ts';
import type { TensorMap } from '../../src/engine/types.ts';
import { peftName } from '../../src/engine/adapter.ts';
import type { LoraSettings } from '../../src/marft/settings.ts';
import { Random } from '../../src/random/random.ts';
import { parseQwenConfig } from '../../src/qwen/config.ts';
import { loraShapes } from '../../src/qwen/lora.ts';

const BASE = 'qwen2-tied';
const fixtures = new URL('./fixtures/', import.meta.url);
// Another rank, scale and set of targets than PEFT's own adapter in these fixtures.
const lora: LoraSettings = { rank: 3, alpha: 7.5, targets: ['k_proj', 'o_proj', 'up_proj', 'down_proj'], rslora: false };

const config = parseQwenConfig(JSON.parse(readFileSync(new URL(`${BASE}/config.json`, fixtures), 'utf8')));
const random = new Random(11);
const parameters: TensorMap = new Map();
for (let layer = 0; layer < config.layers; layer++) {
  for (const [inner, shape] of Object.entries(loraShapes(config, lora))) {
    const data = Float32Array.from({ length: shape.reduce((product, size) => product * size, 1) }, () => random.next() - 0.5);
    parameters.set(peftName(layer, inner), { dims: [...shape], data });
  }
}
const folder = new URL('adapter-by-us/', fixtures);
mkdirSync(folder, { recursive: true });
for (const [file, bytes] of adapterFiles(parameters, lora, BASE)) writeFileSync(new URL(file, folder), bytes);
