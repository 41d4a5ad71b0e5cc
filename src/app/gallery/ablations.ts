/** Results of sweeps that were run beforehand: the files of the documentation, each fetched when it is opened. */
import { NAMED_SWEEPS } from '../../experiment/named-sweeps.ts';
import { PlaygroundError } from '../../runtime/errors.ts';

export interface Ablation {
  name: string;
  /** What the paper says; undefined where it says nothing. */
  claim: string | undefined;
  /** What is compared. */
  question: string | undefined;
  /** With which it was made, and can be made again. */
  command: string;
  url: string;
}

/** Of each arm. */
const SEEDS = 5;

// Not as data addresses, which the page's policy would not let it fetch.
const FILES = import.meta.glob<string>('../../../docs/ablations/*.json', { query: '?url&no-inline', import: 'default', eager: true });

/** Sweeps of which there are results, in the order in which sweeps are offered. */
export const ABLATIONS: readonly Ablation[] = NAMED_SWEEPS.flatMap(({ name, claim, question }) => {
  const url = FILES[`../../../docs/ablations/${name.replaceAll('/', '-')}.json`];
  return url === undefined ? [] : [{ name, claim, question, url, command: `npm run --silent marft -- sweep ${name} --seeds ${SEEDS}` }];
});

/** The document of its results, unchecked. Throws a PlaygroundError where it cannot be had. */
export async function fetchAblation({ url }: Ablation): Promise<unknown> {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new TypeError(`answered ${response.status}`);
    return await response.json();
  } catch (cause) {
    throw new PlaygroundError('recorded-missing', 'The results of this sweep could not be loaded.', 'Check the connection and try again.', { cause });
  }
}
