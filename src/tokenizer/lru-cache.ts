/** The `capacity` values used last, by key. */
export class LruCache<K, V> {
  readonly #values = new Map<K, V>();

  constructor(readonly capacity: number) {}

  /** The value kept, else the one made now. */
  get(key: K, make: () => V): V {
    const kept = this.#values.get(key);
    const value = kept ?? make();
    // A map iterates in order of insertion: putting a key back makes it the youngest.
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.capacity) {
      const oldest = this.#values.keys().next();
      if (oldest.done !== true) this.#values.delete(oldest.value);
    }
    return value;
  }
}
