/** Which files of a repository hold which split of which subset. */
import { z } from 'zod';
import type { RemoteFile } from '../checkpoint/source.ts';
import { formatOf } from './table.ts';

z.config({ jitless: true });

export interface SplitFiles {
  config: string;
  split: string;
  /** In order. */
  files: string[];
  bytes: number;
}

const USUAL_CONFIG = 'default';
const USUAL_SPLIT = 'train';
/** What the Hub itself writes: a folder per subset and split, the latter marked where it has not all. */
const CONVERTED = /^([^/]+)\/(?:partial-)?([^/]+)\/\d+\.parquet$/;
const SPLIT_WORD = /(?:^|[/_.-])(train|test|validation|valid|dev|eval)(?=[/_.-])/i;
/** Files that describe a data set rather than being one. */
const DESCRIPTION = /(?:^|\/)(?:dataset_infos?|state|config|package|package-lock|tsconfig|croissant|metadata)\.json$|(?:^|\/)\./i;
/** The first of these formats that a repository has is read; the same rows often lie there in several. */
const PREFERENCE = ['parquet', 'jsonl', 'ndjson', 'json', 'csv', 'tsv'];

const MAX_PATTERN = 300;
const MAX_STARS = 4;

const patterns = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const cardConfigs = z.array(
  z.looseObject({
    config_name: z.string(),
    data_files: z.union([z.array(z.looseObject({ split: z.string(), path: patterns })), patterns.transform((path) => [{ split: USUAL_SPLIT, path }])]),
  }),
);

/** By the Hub's own conversion, by what the data set's card says, or by the words in the files' names; none where nothing can be read. */
export function splitsOf(files: ReadonlyMap<string, RemoteFile>, configs: unknown): SplitFiles[] {
  const names = [...files.keys()].filter((name) => formatOf(name) !== null && !DESCRIPTION.test(name)).sort();
  const converted = names.flatMap((name) => {
    const [, config, split] = CONVERTED.exec(name) ?? [];
    return config === undefined || split === undefined ? [] : [{ config, split, name }];
  });
  const found = converted.length === names.length ? converted : (byCard(names, configs) ?? byName(names));
  const splits = new Map<string, SplitFiles>();
  for (const { config, split, name } of found) {
    const key = `${config}\n${split}`;
    const entry = splits.get(key) ?? { config, split, files: [], bytes: 0 };
    entry.files.push(name);
    entry.bytes += files.get(name)?.bytes ?? 0;
    splits.set(key, entry);
  }
  return [...splits.values()];
}

function byCard(names: readonly string[], configs: unknown): { config: string; split: string; name: string }[] | null {
  const parsed = cardConfigs.safeParse(configs);
  if (!parsed.success) return null;
  const found = parsed.data.flatMap(({ config_name: config, data_files: parts }) =>
    parts.flatMap(({ split, path }) => names.filter((name) => path.some((pattern) => matches(pattern, name))).map((name) => ({ config, split, name }))),
  );
  return found.length > 0 ? found : null;
}

function byName(names: readonly string[]): { config: string; split: string; name: string }[] {
  const format = PREFERENCE.find((one) => names.some((name) => formatOf(name) === one));
  return names.filter((name) => formatOf(name) === format).map((name) => ({ config: USUAL_CONFIG, split: SPLIT_WORD.exec(name)?.[1]?.toLowerCase() ?? USUAL_SPLIT, name }));
}

/** `*` stands for anything within a folder's or file's name, `**` for any folders; a folder for all that is in it. */
function matches(pattern: string, name: string): boolean {
  // A pattern of many stars could keep the matcher busy for long.
  if (pattern.length > MAX_PATTERN || (pattern.match(/\*+/g)?.length ?? 0) > MAX_STARS) return false;
  const parts = pattern.replace(/^\.?\//, '').split(/(\*\*\/?|\*|\?)/);
  const source = parts.map((part) => (part.startsWith('**') ? '.*' : part === '*' ? '[^/]*' : part === '?' ? '[^/]' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&'))).join('');
  return new RegExp(`^${source}(?:/.*)?$`).test(name);
}
