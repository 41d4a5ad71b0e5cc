/** What a trained thing needs to go on exactly where it stood: numbers by name, on the host. */
import type { TensorMap } from '../engine/types.ts';
import { PlaygroundError } from '../runtime/errors.ts';

export interface StateTensor {
  dims: number[];
  data: Float32Array | Float64Array | Int32Array;
}

export type StateTensors = Map<string, StateTensor>;

/** Puts a prefix before every name. */
export function prefixed(prefix: string, tensors: ReadonlyMap<string, StateTensor>): StateTensors {
  return new Map([...tensors].map(([name, tensor]) => [prefix + name, tensor]));
}

/** The tensors whose names begin with the prefix, by the rest of their names. */
export function under(prefix: string, tensors: ReadonlyMap<string, StateTensor>): StateTensors {
  const own = [...tensors].filter(([name]) => name.startsWith(prefix));
  return new Map(own.map(([name, tensor]) => [name.slice(prefix.length), tensor]));
}

/** Lists of numbers, each as a tensor of one dimension. */
export function vectors(lists: Record<string, StateTensor['data']>): StateTensors {
  return new Map(Object.entries(lists).map(([name, data]) => [name, { dims: [data.length], data }]));
}

/** The same tensors when all are of single precision, as the engine's are. Throws `state-mismatch` otherwise. */
export function singles(tensors: ReadonlyMap<string, StateTensor>): TensorMap {
  const map: TensorMap = new Map();
  for (const [name, { dims, data }] of tensors) {
    if (!(data instanceof Float32Array)) return refuseState(`The saved ${name} is not of single precision.`);
    map.set(name, { dims, data });
  }
  return map;
}

/** The numbers of the named tensor, a copy. Throws `state-mismatch` when they are missing, of another type or not `length` many. */
export function saved<T extends StateTensor['data']>(
  tensors: ReadonlyMap<string, StateTensor>,
  name: string,
  type: new (numbers: ArrayLike<number>) => T,
  length?: number,
): T {
  const data = tensors.get(name)?.data;
  if (!(data instanceof type)) return refuseState(`The saved ${name} is missing or of another type.`);
  if (length !== undefined && data.length !== length) refuseState(`The saved ${name} holds ${data.length} numbers; ${length} were expected.`);
  return new type(data);
}

/** Throws `state-mismatch`: what was saved is not of what it would be put into. */
export function refuseState(message: string): never {
  throw new PlaygroundError('state-mismatch', message, 'Use a checkpoint that was made with the same experiment and model.');
}
