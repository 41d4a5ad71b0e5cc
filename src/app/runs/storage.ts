/** How much room the browser gives this page, and what could be done about it. */

export interface StorageRoom {
  /** Bytes in use by everything that this page stores, models among it, and bytes that it may use. */
  usage: number;
  quota: number;
  /** Whether the browser promises not to clear it by itself. */
  lasting: boolean;
}

/** From this share on room is short. */
const SHORT = 0.8;

/** Null where the browser does not tell. */
export async function storageRoom(): Promise<StorageRoom | null> {
  // Pages that are not secure have no storage.
  if (!('storage' in navigator)) return null;
  const { usage, quota } = await navigator.storage.estimate();
  if (usage === undefined || quota === undefined) return null;
  return { usage, quota, lasting: await navigator.storage.persisted() };
}

export function roomIsShort({ usage, quota }: StorageRoom): boolean {
  return quota > 0 && usage / quota > SHORT;
}
