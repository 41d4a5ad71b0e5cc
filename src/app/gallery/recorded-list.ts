/** What is known of the recorded runs before any of them is fetched: a short list beside them. */
import { z } from 'zod';
import { PlaygroundError } from '../../runtime/errors.ts';

z.config({ jitless: true });

const recordedSchema = z.object({
  /** Which preset was trained, and the name of the run's file. */
  preset: z.string().regex(/^[a-z0-9-]+$/),
  /** With which it was made, and can be made again. */
  command: z.string(),
  iterations: z.int().min(1),
  /** Mean reward on held-out problems before and after training. */
  heldOut: z.object({ problems: z.int(), before: z.number(), after: z.number() }),
  /** Points of the reward's curve in training. */
  curve: z.array(z.number()).min(1),
});

export type Recorded = z.output<typeof recordedSchema>;

/** Where a preset's run lies. `folder`: any address in the folder of the recorded runs. */
export function recordedAddress(folder: string, preset: string): string {
  return new URL(`${preset}.json`, folder).href;
}

/** Throws a PlaygroundError where there is none that can be read. `folder`: as above. */
export async function fetchRecordedList(folder: string): Promise<Recorded[]> {
  try {
    const response = await fetch(new URL('gallery.json', folder));
    if (!response.ok) throw new TypeError(`answered ${response.status}`);
    return z.array(recordedSchema).parse(await response.json());
  } catch (cause) {
    throw new PlaygroundError('recorded-missing', 'The list of recorded runs could not be loaded.', 'Check the connection and open the gallery again.', { cause });
  }
}
