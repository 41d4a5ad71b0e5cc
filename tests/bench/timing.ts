/** Times that can be compared on a machine which other work shares: sides take turns, and ratios are of neighbours. */

/** The middle of repeated numbers, and the quartiles around it. */
export interface Spread {
  low: number;
  median: number;
  high: number;
}

/** Sides by name; each call is one timed piece of work. */
export type Sides<Name extends string> = Record<Name, () => Promise<unknown> | unknown>;

/**
 * Milliseconds of every side, `repetitions` of each. Each is run once beforehand, untimed (compilation, caches); then they take turns, so that what
 * else the machine does falls on all alike.
 */
export async function takeTurns<Name extends string>(sides: Sides<Name>, repetitions: number): Promise<Record<Name, number[]>> {
  const names = Object.keys(sides) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (const name of names) await sides[name]();
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const name of names) {
      const started = performance.now();
      await sides[name]();
      times[name].push(performance.now() - started);
    }
  }
  return times;
}

/** How many times longer `theirs` took than `ours`, turn by turn. */
export function ratios(theirs: readonly number[], ours: readonly number[]): number[] {
  return theirs.map((time, turn) => time / (ours[turn] ?? Number.NaN));
}

export function spread(numbers: readonly number[]): Spread {
  const sorted = [...numbers].sort((a, b) => a - b);
  const quantile = (q: number): number => {
    const place = q * (sorted.length - 1);
    const below = sorted[Math.floor(place)] ?? Number.NaN;
    return below + ((sorted[Math.ceil(place)] ?? below) - below) * (place % 1);
  };
  return { low: quantile(0.25), median: quantile(0.5), high: quantile(0.75) };
}

/** `median (low–high)` as a cell of a table. */
export function spreadCell({ low, median, high }: Spread): string {
  return `${short(median)} (${short(low)}–${short(high)})`;
}

/** Three significant digits, and no more zeros than that. */
export function short(number: number): string {
  return Math.abs(number) >= 100 ? number.toFixed(0) : String(Number(number.toPrecision(3)));
}
