/** The Hub in miniature behind the Hub's own address, so that the page runs as it is published, with its own policy. */
import type { Page } from '@playwright/test';
import { fileURLToPath } from 'node:url';
import { readSafetensors, writeSafetensors } from '../../src/checkpoint/safetensors.ts';
import { folderFiles, startHub, type HubServer } from '../unit/checkpoint/hub-server.ts';
import { CLIENT, startOAuth, type OAuthServer } from '../unit/checkpoint/oauth-server.ts';

export const REPOSITORY = 'Org/micro';

export const MICRO = folderFiles(fileURLToPath(new URL('../../public/models/marft-micro', import.meta.url)));

/** What the page may ask for on purpose, and what is said of it when it fails. */
export const HUB_TRAFFIC = /https:\/\/huggingface\.co\//;

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, range',
  'access-control-expose-headers': 'X-Error-Code, Content-Range',
};

/** Answers what the page asks huggingface.co from a server of this test. A body that is cut arrives as far as it came. */
export async function openHub(page: Page, files = MICRO): Promise<HubServer> {
  const hub = await startHub(REPOSITORY, new Map(files));
  await page.context().route('https://huggingface.co/**', async (route) => {
    const request = route.request();
    const { pathname, search } = new URL(request.url());
    const { range, authorization } = await request.allHeaders();
    try {
      const answer = await fetch(hub.endpoint + pathname + search, {
        headers: { ...(range === undefined ? {} : { range }), ...(authorization === undefined ? {} : { authorization }) },
      });
      const kept = ['content-range', 'x-error-code', 'content-type'].flatMap((name) => {
        const value = answer.headers.get(name);
        return value === null ? [] : [[name, value]];
      });
      await route.fulfill({ status: answer.status, headers: { ...CORS, ...Object.fromEntries(kept) as Record<string, string> }, body: await whatComes(answer) });
    } catch {
      await route.abort('connectionreset').catch(() => undefined);
    }
  });
  return hub;
}

/** The Hub's sign-in behind its own address, for a page that is published with a name there. Call after `openHub`. */
export async function openSignIn(page: Page, address: string): Promise<OAuthServer> {
  const oauth = await startOAuth([address]);
  await page.route('**/oauth.json', (route) => route.fulfill({ json: { clientId: CLIENT } }));
  await page.context().route('https://huggingface.co/oauth/**', async (route) => {
    const request = route.request();
    const { pathname, search } = new URL(request.url());
    const body = request.postData();
    const answer = await fetch(oauth.endpoint + pathname + search, {
      method: request.method(),
      ...(body === null ? {} : { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    });
    await route.fulfill({ status: answer.status, headers: { ...CORS, 'content-type': answer.headers.get('content-type') ?? '' }, body: await answer.text() });
  });
  return oauth;
}

async function whatComes(answer: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of answer.body ?? []) pieces.push(piece as Uint8Array);
  } catch (error) {
    if (pieces.length === 0) throw error;
  }
  return Buffer.concat(pieces);
}

/** The same model in two shards. */
export function sharded(files: ReadonlyMap<string, Uint8Array>): Map<string, Uint8Array> {
  const result = new Map(files);
  result.delete('model.safetensors');
  const tensors = [...readSafetensors(files.get('model.safetensors') ?? new Uint8Array(0))];
  const weightMap: Record<string, string> = {};
  [tensors.slice(0, 5), tensors.slice(5)].forEach((part, index) => {
    const name = `model-0000${index + 1}-of-00002.safetensors`;
    result.set(name, writeSafetensors(new Map(part)));
    for (const [tensor] of part) weightMap[tensor] = name;
  });
  return result.set('model.safetensors.index.json', Buffer.from(JSON.stringify({ weight_map: weightMap })));
}
