/** Every value once, in the order of their first appearance. */
export function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
