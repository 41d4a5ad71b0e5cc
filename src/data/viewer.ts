/** Rows from the Hub's dataset viewer, a hundred at a time: for data sets whose files cannot be read here. */
import { z } from 'zod';
import { HUB_ENDPOINT, HubClient, hubEndpoint } from '../checkpoint/hub-client.ts';
import { PlaygroundError } from '../runtime/errors.ts';
import type { Row } from '../tasks/services.ts';
import { rowOf } from './cell-text.ts';
import { folderOf, type DatasetAccess, type HubDataset } from './hub-dataset.ts';

z.config({ jitless: true });

export const VIEWER_ENDPOINT = 'https://datasets-server.huggingface.co';

/** Rows of one answer; the viewer gives no more. */
const PAGE = 100;

const splitsSchema = z.looseObject({ splits: z.array(z.looseObject({ config: z.string(), split: z.string() })).max(10_000) });
const pageSchema = z.looseObject({
  features: z.array(z.looseObject({ name: z.string() })),
  rows: z.array(z.looseObject({ row: z.record(z.string(), z.unknown()), truncated_cells: z.array(z.string()).default([]) })).max(PAGE),
  num_rows_total: z.int().min(0),
});
type Page = z.output<typeof pageSchema>;

/** Subsets and splits that the viewer has; none where there is no viewer. */
export async function viewerSplits(repository: string, access: DatasetAccess): Promise<{ config: string; split: string }[]> {
  const client = viewerClient(access);
  if (!client) return [];
  const { splits } = checked(splitsSchema, await client.json(`splits?${new URLSearchParams({ dataset: repository }).toString()}`, `datasets/${repository}`));
  return splits.map(({ config, split }) => ({ config, split }));
}

/** The first `limit` rows. A page that has come is kept, and not asked for again of the same commit. */
export async function viewerRows({ repository, commit }: HubDataset, config: string, split: string, limit: number, access: DatasetAccess): Promise<{ columns: string[]; total: number; rows: (columns: readonly string[]) => Row[] }> {
  const client = viewerClient(access);
  if (!client) throw new PlaygroundError('data-unsupported', `There is no dataset viewer for ${repository}.`, 'Download its rows and choose the file.');
  const pages: Page[] = [];
  let total = Infinity;
  for (let offset = 0; offset < Math.min(limit, total); offset += PAGE) {
    const place = `${folderOf(repository, access.hub)}/viewer/${commit}/${[config, split].map((part) => part.replace(/[^\w-]/g, '_')).join('--')}-${offset}.json`;
    const query = new URLSearchParams({ dataset: repository, config, split, offset: String(offset), length: String(PAGE) });
    const page = checked(pageSchema, (await keptPage(place, access)) ?? (await client.json(`rows?${query.toString()}`, `datasets/${repository}`)));
    await access.storage?.write(place, new TextEncoder().encode(JSON.stringify(page)));
    pages.push(page);
    total = page.num_rows_total;
    if (page.rows.length === 0) break;
  }
  return {
    columns: pages[0]?.features.map(({ name }) => name) ?? [],
    total: Number.isFinite(total) ? total : 0,
    rows: (columns) =>
      pages
        .flatMap(({ rows }) => rows)
        .slice(0, limit)
        // A cell that was cut would be another question than the author's.
        .filter(({ truncated_cells: cut }) => !columns.some((column) => cut.includes(column)))
        .map(({ row }) => rowOf(row, columns)),
  };
}

async function keptPage(place: string, { storage }: DatasetAccess): Promise<unknown> {
  const size = await storage?.size(place);
  if (!storage || size === null || size === undefined) return null;
  try {
    return JSON.parse(new TextDecoder().decode(await storage.readRange(place, 0, size))) as unknown;
  } catch {
    return null;
  }
}

/** Another Hub's viewer is nowhere unless it is said where; a token goes to the one that it is for. */
function viewerClient({ hub, viewer }: DatasetAccess): HubClient | null {
  const endpoint = viewer ?? (hubEndpoint(hub).href === hubEndpoint({ endpoint: HUB_ENDPOINT }).href ? VIEWER_ENDPOINT : null);
  return endpoint === null ? null : new HubClient({ ...hub, endpoint });
}

function checked<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new PlaygroundError('hub-answer', 'The dataset viewer did not answer as it does.', 'Try again later, or download the rows and choose the file.', { cause: parsed.error });
}
