/** When a batch goes on with fewer rows, because so many have finished that the rest is cheaper in a batch of its own. */

/**
 * Parameters times rows times steps that a smaller batch must be able to save: what compiling its graphs costs, or moving the caches. A model
 * of a third of a million parameters reaches it with some three hundred rows · steps, one of half a milliard at once.
 */
const WORTH = 1e8;
/** Rows times steps that it must save at least, however large the model. */
const LEAST_SAVED = 16;
/** Fewer rows are not worth a graph; one row alone would also be multiplied by another kernel, with other roundings. */
const FEWEST_ROWS = 2;

/** The most live rows at which a batch of `rows` becomes smaller: a half or less of it, a power of two; 0: never. */
export function compactAt(rows: number): number {
  const half = 2 ** Math.floor(Math.log2(Math.max(1, rows / 2)));
  return half >= FEWEST_ROWS && 2 * half <= rows ? half : 0;
}

/** Rows of the batch that `live` rows go on in: the next power of two, so that few graphs are compiled. */
export function compactRows(live: number): number {
  return Math.max(FEWEST_ROWS, 2 ** Math.ceil(Math.log2(live)));
}

/** Steps that must be left for a batch of `rows` to become smaller at all, for a model of so many parameters. */
export function stepsWorth(rows: number, parameters: number): number {
  const saved = rows - compactAt(rows);
  return Math.ceil(Math.max(LEAST_SAVED, WORTH / parameters) / saved);
}
