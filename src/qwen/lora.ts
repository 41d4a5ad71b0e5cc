/** Low-rank adapters (Hu et al. 2021): W·x + s·B·A·x on any of a block's seven projections. */
import { gemm } from '../onnx/ops/gemm.ts';
import type { GraphBuilder, Value } from '../onnx/graph.ts';
import { baseProjection } from './base-weights.ts';
import type { QwenConfig } from './config.ts';
import { PROJECTION_PATH, projectionShape, type Projection, type Shapes } from './parameters.ts';

export interface LoraSpec {
  rank: number;
  alpha: number;
  targets: readonly Projection[];
  /** Rank-stabilised (Kalajdzievski 2023): s = α/√r instead of α/r, so that a higher rank does not learn more slowly. */
  rslora: boolean;
}

/** s, by which B·A is multiplied. */
export function loraScale({ rank, alpha, rslora }: Pick<LoraSpec, 'rank' | 'alpha' | 'rslora'>): number {
  return alpha / (rslora ? Math.sqrt(rank) : rank);
}

/** One block's adapter tensors: A [rank, in] and B [out, rank] of each target, by PEFT's names inside the block. */
export function loraShapes(config: QwenConfig, spec: LoraSpec): Shapes {
  const shapes: Shapes = {};
  for (const target of spec.targets) {
    const [out, input] = projectionShape(config, target);
    shapes[loraName(PROJECTION_PATH[target], 'A')] = [spec.rank, input];
    shapes[loraName(PROJECTION_PATH[target], 'B')] = [out, spec.rank];
  }
  return shapes;
}

export function loraName(path: string, which: 'A' | 'B'): string {
  return `${path}.lora_${which}.weight`;
}

/**
 * x [tokens, in] through a projection: weight, bias where there is one, and the adapter where `weights` has one. The
 * adapter costs two matrix products; its scale and the sum ride inside them.
 */
export function project(g: GraphBuilder, x: Value, weights: Record<string, Value>, path: string, lora: LoraSpec | null): Value {
  const y = baseProjection(g, x, weights, path);
  const a = weights[loraName(path, 'A')];
  const b = weights[loraName(path, 'B')];
  if (!lora || !a || !b) return y;
  const low = gemm(g, x, a, { transB: true, alpha: loraScale(lora) });
  return gemm(g, low, b, { transB: true, c: y });
}
