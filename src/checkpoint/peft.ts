/** LoRA adapters in the format of Hugging Face PEFT, out and in. */
import { z } from 'zod';
import type { TensorMap } from '../engine/types.ts';
import { LORA_TARGETS, type LoraSettings } from '../marft/settings.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { readSafetensors, writeSafetensors } from './safetensors.ts';

export const ADAPTER_CONFIG = 'adapter_config.json';
export const ADAPTER_WEIGHTS = 'adapter_model.safetensors';

/** File contents by name. `parameters` are named as PEFT names them. */
export function adapterFiles(parameters: TensorMap, lora: LoraSettings, baseModel: string): Map<string, Uint8Array> {
  const config = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: baseModel,
    r: lora.rank,
    lora_alpha: lora.alpha,
    target_modules: [...lora.targets],
    lora_dropout: 0,
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
    init_lora_weights: true,
    modules_to_save: null,
    use_dora: false,
    use_rslora: false,
  };
  return new Map([
    [ADAPTER_CONFIG, new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`)],
    [ADAPTER_WEIGHTS, writeSafetensors(parameters)],
  ]);
}

const none = z.union([z.null(), z.literal(false), z.record(z.string(), z.never()), z.array(z.never())]).optional();
const adapterConfig = z.object({
  peft_type: z.literal('LORA'),
  r: z.int().min(1).max(256),
  lora_alpha: z.number().positive(),
  target_modules: z.array(z.enum(LORA_TARGETS)).min(1),
  bias: z.literal('none').default('none'),
  // Options that change what the tensors mean.
  use_dora: none,
  use_rslora: none,
  rank_pattern: none,
  alpha_pattern: none,
  modules_to_save: none,
  layers_to_transform: none,
});

const PARAMETER_NAME = /^base_model\.model\.model\.layers\.\d+\.(?:self_attn|mlp)\.(\w+)\.lora_([AB])\.weight$/;

/** Throws a PlaygroundError (`adapter-unsupported`, `adapter-mismatch`) that says what does not fit. */
export function readAdapter(configText: string, weights: Uint8Array): { lora: LoraSettings; parameters: TensorMap } {
  let json: unknown;
  try {
    json = JSON.parse(configText);
  } catch (cause) {
    throw new PlaygroundError('adapter-unsupported', `${ADAPTER_CONFIG} is not JSON.`, 'Export the adapter again.', { cause });
  }
  const parsed = adapterConfig.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new PlaygroundError(
      'adapter-unsupported',
      `${ADAPTER_CONFIG} asks for something that is not supported: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}.`,
      'Plain LoRA on the seven projections can be imported.',
      { cause: parsed.error },
    );
  }
  const { r: rank, lora_alpha: alpha, target_modules: targets } = parsed.data;
  const parameters: TensorMap = readSafetensors(weights);
  for (const [name, { dims }] of parameters) checkParameter(name, dims, rank, targets);
  return { lora: { rank, alpha, targets }, parameters };
}

function checkParameter(name: string, dims: readonly number[], rank: number, targets: readonly string[]): void {
  const refuse = (message: string): never => {
    throw new PlaygroundError('adapter-mismatch', message, 'The adapter\'s two files do not belong together, or it was made for another kind of model.');
  };
  const match = PARAMETER_NAME.exec(name);
  if (!match) return refuse(`The adapter holds ${name}, which is no LoRA matrix of a Qwen projection.`);
  const [, target = '', which] = match;
  if (!targets.includes(target)) refuse(`The adapter holds ${name}, but its configuration does not name ${target}.`);
  if (dims.length !== 2 || dims[which === 'A' ? 0 : 1] !== rank) refuse(`${name} is of shape [${dims.join()}], not of rank ${rank}.`);
}
