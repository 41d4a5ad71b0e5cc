import { dimension, type GraphBuilder, type Value } from '../graph.ts';
import { cast } from './cast.ts';
import { expand } from './expand.ts';
import { reshape } from './reshape.ts';

/** Rows `index` (int32 [n]) of `table` [rows, width]: [n, width]. The derivative adds rows that were taken several times. */
export function gather(g: GraphBuilder, table: Value, index: Value): Value {
  const count = dimension(index, 0);
  const width = dimension(table, 1);
  const y = g.node('Gather', [table, index], { dtype: table.dtype, shape: [count, width] }, { axis: { int: 0 } });
  return g.record([table], y, [
    (dy) => {
      const zeros = expand(g, g.scalar(0), table.shape);
      const rows = reshape(g, cast(g, index, 'int64'), [count, 1]);
      return g.node('ScatterND', [zeros, rows, dy], { dtype: 'float32', shape: table.shape }, { reduction: { string: 'add' } });
    },
  ]);
}
