/** A padded batch through the blocks, with or without an adapter, keeping each block's input for the way back. */
import type { LoraSpec } from '../qwen/lora.ts';
import { EMBEDDING } from '../qwen/parameters.ts';
import { blockBackwardGraph, blockForwardGraph, embedGraph } from '../qwen/training-graphs.ts';
import { disposeAll, pick, type DeviceTensor, type TensorRecord } from '../runtime/backend.ts';
import { loraKey } from './adapter.ts';
import type { Base } from './base.ts';
import type { PaddedRows } from './batch.ts';
import type { ParameterSet } from './parameter-set.ts';

export interface AdapterUse {
  spec: LoraSpec;
  parameters: ParameterSet;
}

/**
 * Hidden states [rows · length, hidden]: the embedding, then every block's output. Block l's input is state l. The caller disposes them.
 */
export async function forwardStates(base: Base, batch: PaddedRows, adapter: AdapterUse | null): Promise<DeviceTensor[]> {
  const { backend, config } = base;
  const rows = batch.rows * batch.length;
  const embed = await base.program(`embed ${rows}`, () => embedGraph(config, rows));
  const ids = backend.upload(batch.ids, [rows]);
  const states = [pick(await embed.run({ ...base.named(EMBEDDING), ids }), 'x')];
  ids.dispose();
  const spec = adapter?.spec ?? null;
  const shape = { batch: batch.rows, length: batch.length };
  const block = await base.program(`forward ${loraKey(spec)} ${shape.batch}x${shape.length}`, () =>
    blockForwardGraph(config, spec, shape, base.positions),
  );
  for (let layer = 0; layer < config.layers; layer++) {
    const x = states[layer];
    if (!x) throw new Error('a hidden state was lost');
    const lora = adapter ? adapter.parameters.group(layer) : {};
    states.push(pick(await block.run({ ...base.block(layer), ...lora, x }), 'y'));
  }
  return states;
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
 * head, or a value head that reads several states) added to `above`, what came down from block l; it takes over `above`.
 */
export async function backwardThroughBlocks(
  base: Base,
  batch: PaddedRows,
  adapter: AdapterUse,
  states: readonly DeviceTensor[],
  cotangentOf: (state: number, above: DeviceTensor | null) => Promise<DeviceTensor>,
): Promise<void> {
  const { config } = base;
  const shape = { batch: batch.rows, length: batch.length };
  let above: DeviceTensor | null = null;
  for (let layer = config.layers - 1; layer >= 0; layer--) {
    const dy: DeviceTensor = await cotangentOf(layer + 1, above);
    const program = await base.program(`backward ${loraKey(adapter.spec)} ${shape.batch}x${shape.length} ${layer > 0}`, () =>
      blockBackwardGraph(config, adapter.spec, shape, base.positions, layer > 0),
    );
    const x = states[layer];
    if (!x) throw new Error('a hidden state was lost');
    const outputs: TensorRecord = await program.run({ ...base.block(layer), ...adapter.parameters.group(layer), x, dy });
    dy.dispose();
    const { dx, ...gradients } = outputs;
    above = dx ?? null;
    await adapter.parameters.accumulate(
      layer,
      Object.fromEntries(Object.entries(gradients).map(([name, tensor]) => [name.slice('d.'.length), tensor])),
    );
  }
}
