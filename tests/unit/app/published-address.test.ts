/** What a build holds for signing in at the Hub, with and without the address where it will be published. */
import type { Plugin } from 'vite';
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

async function filesOf(address: string | undefined): Promise<Map<string, unknown>> {
  vi.stubEnv('MARFT_ADDRESS', address);
  vi.resetModules();
  const { default: config } = (await import('../../../vite.config.ts')) as { default: { plugins: (Plugin | Plugin[])[] } };
  const plugin = config.plugins.flat().find(({ name }) => name === 'hub-sign-in');
  const files = new Map<string, unknown>();
  const bundle = { emitFile: ({ fileName, source }: { fileName: string; source: string }) => files.set(fileName, JSON.parse(source)) };
  (plugin?.generateBundle as unknown as (this: typeof bundle) => void).call(bundle);
  return files;
}

it('tells the page that it has no name at the Hub', async () => {
  expect([...(await filesOf(undefined))]).toEqual([['oauth.json', { clientId: null }]]);
});

it.each(['https://example.org/marft', 'https://example.org/marft/'])('describes the page at %s to the Hub, under the address that is its id', async (address) => {
  const files = await filesOf(address);
  const id = 'https://example.org/marft/.well-known/oauth-cimd';
  expect(files.get('oauth.json')).toEqual({ clientId: id });
  expect(files.get('.well-known/oauth-cimd')).toMatchObject({ client_id: id, redirect_uris: ['https://example.org/marft/'], token_endpoint_auth_method: 'none' });
});
