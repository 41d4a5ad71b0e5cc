/** From a graph to the bytes of an ONNX model (onnx.proto, IR version 10, operator set 21). */
import { create, toBinary } from '@bufbuild/protobuf';
import {
  AttributeProto_AttributeType,
  AttributeProtoSchema,
  GraphProtoSchema,
  ModelProtoSchema,
  NodeProtoSchema,
  OperatorSetIdProtoSchema,
  StringStringEntryProtoSchema,
  TensorProto_DataLocation,
  TensorProto_DataType,
  TensorProtoSchema,
  TensorShapeProtoSchema,
  TensorShapeProto_DimensionSchema,
  TypeProtoSchema,
  TypeProto_TensorSchema,
  ValueInfoProtoSchema,
  type AttributeProto,
  type GraphProto,
  type StringStringEntryProto,
  type TensorProto,
  type ValueInfoProto,
} from 'onnx-buf';
import { MICROSOFT, type Attribute, type DType, type ExternalPlace, type Graph, type Initializer, type Value } from './graph.ts';

const OPSET = 21n;
const IR_VERSION = 10n;

const DATA_TYPE: Record<DType, TensorProto_DataType> = {
  float32: TensorProto_DataType.FLOAT,
  float16: TensorProto_DataType.FLOAT16,
  int32: TensorProto_DataType.INT32,
  int64: TensorProto_DataType.INT64,
  uint8: TensorProto_DataType.UINT8,
  bool: TensorProto_DataType.BOOL,
};

export function serialize(graph: Graph): Uint8Array {
  const model = create(ModelProtoSchema, {
    irVersion: IR_VERSION,
    producerName: 'marft-playground',
    opsetImport: [
      create(OperatorSetIdProtoSchema, { domain: '', version: OPSET }),
      create(OperatorSetIdProtoSchema, { domain: MICROSOFT, version: 1n }),
    ],
    graph: graphProto(graph),
  });
  return toBinary(ModelProtoSchema, model);
}

function graphProto(graph: Graph): GraphProto {
  return create(GraphProtoSchema, {
    name: graph.name,
    input: graph.inputs.map(valueInfo),
    output: graph.outputs.map(valueInfo),
    initializer: graph.initializers.map(tensor),
    node: graph.nodes.map(({ op, domain, inputs, outputs, attributes }) =>
      create(NodeProtoSchema, {
        opType: op,
        domain,
        input: inputs,
        output: outputs,
        attribute: Object.entries(attributes).map(([name, attribute]) => attributeProto(name, attribute)),
      }),
    ),
  });
}

function tensor({ name, dtype, shape, data }: Initializer): TensorProto {
  const common = { name, dataType: DATA_TYPE[dtype], dims: shape.map(BigInt) };
  if (!ArrayBuffer.isView(data)) {
    return create(TensorProtoSchema, { ...common, dataLocation: TensorProto_DataLocation.EXTERNAL, externalData: externalData(data) });
  }
  // A copy, so that a view into a larger buffer is written with its own bytes only.
  return create(TensorProtoSchema, { ...common, rawData: new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice() });
}

function externalData({ file, offset, length }: ExternalPlace): StringStringEntryProto[] {
  const entries = { location: file, offset: String(offset), length: String(length) };
  return Object.entries(entries).map(([key, value]) => create(StringStringEntryProtoSchema, { key, value }));
}

function valueInfo({ name, dtype, shape, symbols = [] }: Value): ValueInfoProto {
  const names = symbols[Symbol.iterator]();
  const tensorType = create(TypeProto_TensorSchema, {
    elemType: DATA_TYPE[dtype],
    shape: create(TensorShapeProtoSchema, {
      dim: shape.map((size, axis) =>
        create(TensorShapeProto_DimensionSchema, {
          value: size < 0 ? { case: 'dimParam', value: names.next().value ?? `${name}_${axis}` } : { case: 'dimValue', value: BigInt(size) },
        }),
      ),
    }),
  });
  return create(ValueInfoProtoSchema, {
    name,
    type: create(TypeProtoSchema, { value: { case: 'tensorType', value: tensorType } }),
  });
}

function attributeProto(name: string, attribute: Attribute): AttributeProto {
  if ('int' in attribute) {
    return create(AttributeProtoSchema, { name, type: AttributeProto_AttributeType.INT, i: BigInt(attribute.int) });
  }
  if ('float' in attribute) {
    return create(AttributeProtoSchema, { name, type: AttributeProto_AttributeType.FLOAT, f: attribute.float });
  }
  if ('ints' in attribute) {
    return create(AttributeProtoSchema, { name, type: AttributeProto_AttributeType.INTS, ints: attribute.ints.map(BigInt) });
  }
  if ('string' in attribute) {
    return create(AttributeProtoSchema, {
      name,
      type: AttributeProto_AttributeType.STRING,
      s: new TextEncoder().encode(attribute.string),
    });
  }
  return create(AttributeProtoSchema, { name, type: AttributeProto_AttributeType.GRAPH, g: graphProto(attribute.graph) });
}
