/** A padded batch through the blocks, with or without an adapter, keeping each block's input for the way back. */
import type { LoraSpec } from '../qwen/lora.ts';
import { EMBEDDING } from '../qwen/parameters.ts';
import { blockBackwardGraph, blockForwardGraph, embedGraph, keepingBlock } from '../qwen/training-graphs.ts';
import { disposeAll, pick, type DeviceTensor, type TensorRecord } from '../runtime/backend.ts';
import { loraKey } from './adapter.ts';
import type { Base } from './base.ts';
import type { PaddedRows } from './batch.ts';
import type { ParameterSet } from './parameter-set.ts';

export interface AdapterUse {
  spec: LoraSpec;
  parameters: ParameterSet;
}

/** Hidden states [rows · length, hidden]: the embedding, then every block's output. Block l's input is state l. The caller disposes them. */
export async function forwardStates(base: Base, batch: PaddedRows, adapter: AdapterUse | null): Promise<DeviceTensor[]> {
  const { config } = base;
  const states = [await embedded(base, batch)];
  const spec = adapter?.spec ?? null;
  const shape = { batch: batch.rows, length: batch.length };
  const block = await base.program(`forward ${loraKey(spec)} ${shape.batch}x${shape.length}`, () =>
    blockForwardGraph(config, spec, shape, base.positions),
  );
  for (let layer = 0; layer < config.layers; layer++) {
    const x = stateOf(states, layer);
    const lora = adapter ? adapter.parameters.group(layer) : {};
    states.push(pick(await block.run({ ...base.block(layer), ...lora, x }), 'y'));
  }
  return states;
}

/** A pass with what the way back needs of it. */
export interface Pass {
  states: DeviceTensor[];
  /** By block, what it multiplied; empty where the limits do not let it be kept. */
  kept: TensorRecord[];
}

/** The caller disposes it with `disposePass`. */
export async function forwardPass(base: Base, batch: PaddedRows, adapter: AdapterUse): Promise<Pass> {
  if (base.limits.keepProducts !== true) return { states: await forwardStates(base, batch, adapter), kept: [] };
  const { config } = base;
  const shape = { batch: batch.rows, length: batch.length };
  const block = await base.program(`forward-keeping ${loraKey(adapter.spec)} ${shape.batch}x${shape.length}`, () =>
    keepingBlock(config, adapter.spec, shape, base.positions, true).forward,
  );
  const pass: Pass = { states: [await embedded(base, batch)], kept: [] };
  for (let layer = 0; layer < config.layers; layer++) {
    const { y, ...kept } = await block.run({ ...base.block(layer), ...adapter.parameters.group(layer), x: stateOf(pass.states, layer) });
    if (!y) throw new Error('a block gave no state');
    pass.states.push(y);
    pass.kept.push(kept);
  }
  return pass;
}

export function disposePass({ states, kept }: Pass): void {
  disposeAll([...states, ...kept.flatMap((one) => Object.values(one))]);
}

async function embedded(base: Base, batch: PaddedRows): Promise<DeviceTensor> {
  const rows = batch.rows * batch.length;
  const embed = await base.program(`embed ${rows}`, () => embedGraph(base.config, rows));
  const ids = base.backend.upload(batch.ids, [rows]);
  const x = pick(await embed.run({ ...base.named(EMBEDDING), ids }), 'x');
  ids.dispose();
  return x;
}

function stateOf(states: readonly DeviceTensor[], layer: number): DeviceTensor {
  const state = states[layer];
  if (!state) throw new Error('a hidden state was lost');
  return state;
}

/** Only the last hidden state. */
export async function forwardLast(base: Base, batch: PaddedRows, adapter: AdapterUse | null): Promise<DeviceTensor> {
  const states = await forwardStates(base, batch, adapter);
  const last = states.pop();
  disposeAll(states);
  if (!last) throw new Error('the model has no hidden state');
  return last;
}

/**
 * Back-propagates through the blocks into the adapter, from the top. `cotangentOf(l)` gives what reaches state l from outside (the
 * head, or a value head that reads several states) added to `above`, what came down from block l; it takes over `above`. What a block kept
 * is disposed as soon as it has been used.
 */
export async function backwardThroughBlocks(
  base: Base,
  batch: PaddedRows,
  adapter: AdapterUse,
  { states, kept }: { states: readonly DeviceTensor[]; kept?: readonly TensorRecord[] },
  cotangentOf: (state: number, above: DeviceTensor | null) => Promise<DeviceTensor>,
): Promise<void> {
  const { config } = base;
  const shape = { batch: batch.rows, length: batch.length };
  let above: DeviceTensor | null = null;
  for (let layer = config.layers - 1; layer >= 0; layer--) {
    const dy: DeviceTensor = await cotangentOf(layer + 1, above);
    const own = kept?.[layer];
    const key = `${loraKey(adapter.spec)} ${shape.batch}x${shape.length} ${layer > 0}`;
    const program = own
      ? await base.program(`backward-kept ${key}`, () => keepingBlock(config, adapter.spec, shape, base.positions, layer > 0).backward)
      : await base.program(`backward ${key}`, () => blockBackwardGraph(config, adapter.spec, shape, base.positions, layer > 0));
    const x = stateOf(states, layer);
    const outputs: TensorRecord = await program.run({ ...base.block(layer), ...adapter.parameters.group(layer), ...own, x, dy });
    disposeAll(Object.values(own ?? {}));
    dy.dispose();
    const { dx, ...gradients } = outputs;
    above = dx ?? null;
    await adapter.parameters.accumulate(
      layer,
      Object.fromEntries(Object.entries(gradients).map(([name, tensor]) => [name.slice('d.'.length), tensor])),
    );
  }
}
