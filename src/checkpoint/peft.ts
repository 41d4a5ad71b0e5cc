/** LoRA adapters in the format of Hugging Face PEFT, out and in. */
import { z } from 'zod';
import type { TensorMap } from '../engine/types.ts';
import { LORA_TARGETS, loraSchema, type LoraSettings } from '../marft/settings.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import { readSafetensors, writeSafetensors } from './safetensors.ts';

z.config({ jitless: true });

export const ADAPTER_CONFIG = 'adapter_config.json';
export const ADAPTER_WEIGHTS = 'adapter_model.safetensors';

export interface Adapter {
  lora: LoraSettings;
  /** How the adapter calls the model it was made for: a name on the Hub, or somebody's folder; null where it does not say. */
  base: string | null;
  /** As PEFT names them. */
  parameters: TensorMap;
}

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
    use_rslora: lora.rslora,
  };
  return new Map([
    [ADAPTER_CONFIG, new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`)],
    [ADAPTER_WEIGHTS, writeSafetensors(parameters)],
  ]);
}

/** Settings that say nothing about what the tensors mean: how the adapter was made, or by what. */
const HARMLESS = new Set([
  'auto_mapping', 'eva_config', 'inference_mode', 'lora_dropout', 'megatron_core', 'peft_version',
  'qalora_group_size', 'revision', 'task_type',
]);

const adapterConfig = z.looseObject({
  peft_type: z.literal('LORA'),
  base_model_name_or_path: z.string().max(1000).nullish(),
  r: loraSchema.shape.rank.unwrap(),
  lora_alpha: loraSchema.shape.alpha.unwrap(),
  target_modules: z.array(z.enum(LORA_TARGETS)).min(1),
  use_rslora: z.boolean().default(false),
  bias: z.literal('none').default('none'),
  // Other initialisations (PiSSA, OLoRA, …) take something out of the base's weights, which are then not the base's any more.
  init_lora_weights: z.union([z.boolean(), z.enum(['gaussian', 'orthogonal', 'eva'])]).optional(),
});

const PARAMETER_NAME = /^base_model\.model\.model\.layers\.(0|[1-9]\d{0,3})\.(?:self_attn|mlp)\.(\w+)\.lora_([AB])\.weight$/;

/**
 * `configText` and `weights` are the contents of the two files. Throws a PlaygroundError (`adapter-unsupported`,
 * `adapter-mismatch`, `checkpoint-broken`) that says what does not fit; whether it fits a model is the model's to say.
 */
export function readAdapter(configText: string, weights: Uint8Array): Adapter {
  const { lora, base } = readSettings(configText);
  const parameters: TensorMap = readSafetensors(weights);
  checkParameters(parameters, lora);
  return { lora, base, parameters };
}

function readSettings(configText: string): Pick<Adapter, 'lora' | 'base'> {
  const refuse = (what: string, cause?: unknown): never => {
    throw new PlaygroundError('adapter-unsupported', `${ADAPTER_CONFIG} ${what}.`, 'Plain LoRA on the seven projections can be imported.', { cause });
  };
  let json: unknown;
  try {
    json = JSON.parse(configText);
  } catch (cause) {
    return refuse('is not JSON', cause);
  }
  const parsed = adapterConfig.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return refuse(`asks for something that is not supported: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, parsed.error);
  }
  const { r: rank, lora_alpha: alpha, target_modules: targets, use_rslora: rslora } = parsed.data;
  for (const [name, value] of Object.entries(parsed.data)) {
    // An option that is not known here may change what the tensors mean, unless it is off.
    if (!Object.hasOwn(adapterConfig.shape, name) && !HARMLESS.has(name) && !isOff(value)) refuse(`sets ${name}, which is not supported`);
  }
  const lora = { rank, alpha, targets: LORA_TARGETS.filter((target) => targets.includes(target)), rslora };
  return { lora, base: parsed.data.base_model_name_or_path ?? null };
}

function isOff(value: unknown): boolean {
  if (value === null || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Every layer from 0 must have A [rank, in] and B [out, rank] of every target, of the same sizes in each, and there must be nothing else. */
function checkParameters(parameters: TensorMap, { rank, targets }: LoraSettings): void {
  const refuse = (message: string): never => {
    throw new PlaygroundError('adapter-mismatch', message, 'The adapter\'s two files do not belong together, or it was made for another kind of model.');
  };
  /** `q_proj.A` → its shape, from the first layer met. */
  const shapes = new Map<string, string>();
  const layers = new Set<number>();
  for (const [name, { dims, data }] of parameters) {
    const match = PARAMETER_NAME.exec(name);
    if (!match) return refuse(`The adapter holds ${name}, which is no LoRA matrix of a Qwen projection.`);
    const [, layer = '', target = '', which = ''] = match;
    if (!targets.some((own) => own === target)) refuse(`The adapter holds ${name}, but its configuration does not name ${target}.`);
    if (dims.length !== 2 || dims[which === 'A' ? 0 : 1] !== rank) refuse(`${name} is of shape [${dims.join()}], not of rank ${rank}.`);
    if (!data.every(Number.isFinite)) refuse(`${name} holds values that are not finite.`);
    const key = `${target}.${which}`;
    const shape = shapes.get(key) ?? dims.join();
    if (shape !== dims.join()) refuse(`${name} is of shape [${dims.join()}] where another layer has [${shape}].`);
    shapes.set(key, shape);
    layers.add(Number(layer));
  }
  const count = Math.max(-1, ...layers) + 1;
  const expected = count * targets.length * 2;
  if (parameters.size === 0) refuse('The adapter holds no matrices.');
  if (parameters.size !== expected) refuse(`The adapter holds ${parameters.size} matrices where ${targets.length} projections of ${count} layers need ${expected}.`);
}
