/**
 * A typed builder of ONNX graphs, whose shapes are static wherever they can be. Operators (`ops/`) are functions from values to values; a
 * differentiable one also records, per input, how a cotangent of its output becomes one of that input, and
 * `autodiff.ts` turns these records into more nodes of the same graph.
 */

export type DType = 'float32' | 'float16' | 'int32' | 'int64' | 'uint8' | 'bool';

export const BYTES_PER_ELEMENT: Record<DType, number> = { float32: 4, float16: 2, int32: 4, int64: 8, uint8: 1, bool: 1 };

/** A tensor in the graph. A dimension of −1 is known only at run time (outputs of loops, models for any batch and length). */
export interface Value {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Names of the dimensions of −1, in their order, for those who load the model; equal names are equal sizes. */
  readonly symbols?: readonly string[];
}

export type Attribute =
  | { int: number }
  | { float: number }
  | { ints: readonly number[] }
  | { string: string }
  | { graph: Graph };

export interface Node {
  op: string;
  domain: string;
  inputs: string[];
  outputs: string[];
  attributes: Record<string, Attribute>;
}

export type ConstantData = Float32Array | Int32Array | BigInt64Array | Uint8Array;

/** Bytes [offset, offset + length) of a file that lies beside the model's: row-major, little-endian. */
export interface ExternalPlace {
  file: string;
  offset: number;
  length: number;
}

export interface Initializer {
  name: string;
  dtype: DType;
  shape: readonly number[];
  data: ConstantData | ExternalPlace;
}

/** A finished graph, ready to be serialised. */
export interface Graph {
  name: string;
  inputs: Value[];
  outputs: Value[];
  nodes: Node[];
  initializers: Initializer[];
  /** What the nodes make, by name. */
  values: ReadonlyMap<string, Value>;
}

/** From the cotangent of an operator's output to the cotangent of one of its inputs. */
export type Pullback = (cotangent: Value) => Value;

export interface TapeEntry {
  inputs: readonly Value[];
  output: Value;
  /** One per input; null where the operator has no derivative (indices, masks). */
  pullbacks: readonly (Pullback | null)[];
}

/** The domain of ONNX Runtime's contributed operators. */
export const MICROSOFT = 'com.microsoft';

export class GraphBuilder {
  readonly tape: TapeEntry[] = [];
  readonly #inputs: Value[] = [];
  readonly #outputs: Value[] = [];
  readonly #nodes: Node[] = [];
  readonly #initializers: Initializer[] = [];
  readonly #values = new Map<string, Value>();
  readonly #scalars = new Map<string, Value>();
  readonly #names: { next: number };

  constructor(
    readonly name: string,
    parent?: GraphBuilder,
  ) {
    this.#names = parent ? parent.#names : { next: 0 };
  }

  /** A builder for the body of a control-flow operator: it may use the values of this one. */
  body(name: string): GraphBuilder {
    return new GraphBuilder(name, this);
  }

  input(name: string, dtype: DType, shape: readonly number[], symbols: readonly string[] = []): Value {
    if (this.#inputs.some((value) => value.name === name)) throw new Error(`input ${name} is declared twice`);
    const value = { name, dtype, shape, symbols };
    this.#inputs.push(value);
    return value;
  }

  /** Declares an output under a name of its own. */
  output(name: string, value: Value, symbols: readonly string[] = []): void {
    this.#nodes.push({ op: 'Identity', domain: '', inputs: [value.name], outputs: [name], attributes: {} });
    const output = { ...value, name, symbols };
    this.#values.set(name, output);
    this.#outputs.push(output);
  }

  /** A constant tensor; `data` has the product of `shape` elements in row-major order. */
  constant(data: ConstantData, shape: readonly number[], dtype: DType = dtypeOf(data)): Value {
    if (data.length !== sizeOf(shape)) throw new Error(`constant has ${data.length} elements for shape [${shape.join()}]`);
    const value = { name: this.#fresh('c'), dtype, shape };
    this.#initializers.push({ ...value, data });
    return value;
  }

  /** A constant tensor whose data stays in a file beside the model, under a name of its own. */
  external(name: string, dtype: DType, shape: readonly number[], place: ExternalPlace): Value {
    const value = { name, dtype, shape };
    this.#initializers.push({ ...value, data: place });
    return value;
  }

  /** A constant of shape []; equal scalars are one constant. */
  scalar(number: number, dtype: 'float32' | 'int32' | 'int64' = 'float32'): Value {
    const key = `${dtype}:${number}`;
    let value = this.#scalars.get(key);
    if (!value) {
      const data =
        dtype === 'float32' ? Float32Array.of(number) : dtype === 'int32' ? Int32Array.of(number) : BigInt64Array.of(BigInt(number));
      value = this.constant(data, [], dtype);
      this.#scalars.set(key, value);
    }
    return value;
  }

  /** Small integer lists that operators take as tensors (shapes, axes, starts). */
  int64s(numbers: readonly number[]): Value {
    return this.constant(BigInt64Array.from(numbers, BigInt), [numbers.length], 'int64');
  }

  /** Adds a node with one output. A null input is an omitted optional one. */
  node(
    op: string,
    inputs: readonly (Value | null)[],
    output: { dtype: DType; shape: readonly number[] },
    attributes: Record<string, Attribute> = {},
    domain = '',
  ): Value {
    const [value] = this.nodes(op, inputs, [output], attributes, domain);
    if (!value) throw new Error(`${op} has no output`);
    return value;
  }

  /** Adds a node with several outputs. */
  nodes(
    op: string,
    inputs: readonly (Value | null)[],
    outputs: readonly { dtype: DType; shape: readonly number[] }[],
    attributes: Record<string, Attribute> = {},
    domain = '',
  ): Value[] {
    const values = outputs.map(({ dtype, shape }) => ({ name: this.#fresh('v'), dtype, shape }));
    for (const value of values) this.#values.set(value.name, value);
    this.#nodes.push({
      op,
      domain,
      inputs: inputs.map((value) => value?.name ?? ''),
      outputs: values.map((value) => value.name),
      attributes,
    });
    return values;
  }

  /** Records the derivative of an operator, input by input. */
  record(inputs: readonly Value[], output: Value, pullbacks: readonly (Pullback | null)[]): Value {
    this.tape.push({ inputs, output, pullbacks });
    return output;
  }

  finish(): Graph {
    return {
      name: this.name,
      inputs: this.#inputs,
      outputs: this.#outputs,
      nodes: this.#nodes,
      initializers: this.#initializers,
      values: this.#values,
    };
  }

  #fresh(prefix: string): string {
    return `${prefix}${this.#names.next++}`;
  }
}

/** Number of elements of a shape. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, 1);
}

/** Shape of an elementwise operator's result under NumPy broadcasting; throws when the shapes do not fit. */
export function broadcastShape(a: readonly number[], b: readonly number[]): number[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i) => {
    const m = a[a.length - rank + i] ?? 1;
    const n = b[b.length - rank + i] ?? 1;
    if (m !== n && m !== 1 && n !== 1) throw new Error(`shapes [${a.join()}] and [${b.join()}] do not broadcast`);
    return m === 1 ? n : m;
  });
}

/** The size of axis `axis` (negative counts from the end); throws when there is none. */
export function dimension(value: Value, axis: number): number {
  const size = value.shape.at(axis);
  if (size === undefined) throw new Error(`${value.name} of shape [${value.shape.join()}] has no axis ${axis}`);
  return size;
}

function dtypeOf(data: ConstantData): DType {
  if (data instanceof Float32Array) return 'float32';
  if (data instanceof Int32Array) return 'int32';
  if (data instanceof BigInt64Array) return 'int64';
  return 'uint8';
}
