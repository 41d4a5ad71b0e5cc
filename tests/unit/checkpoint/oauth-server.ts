/** The Hub's sign-in in miniature, of its real format: a page that asks the account's owner, and the exchange of a code for a token. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export const CLIENT = 'https://playground.example/.well-known/oauth-cimd';

export interface OAuthServer {
  endpoint: string;
  /** Where browsers may be sent back to. */
  redirects: string[];
  /** Tokens that were given, and what they allow. */
  given: Map<string, string>;
  /** Seconds that a token lasts. */
  lasts: number;
  /** Bodies of exchanges, as they came. */
  exchanges: URLSearchParams[];
  close(): Promise<void>;
}

interface Code {
  challenge: string;
  redirect: string;
  scope: string;
}

export async function startOAuth(redirects: string[]): Promise<OAuthServer> {
  const codes = new Map<string, Code>();
  const oauth: OAuthServer = { endpoint: '', redirects, given: new Map(), lasts: 28_800, exchanges: [], close: () => Promise.resolve() };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://hub');
    if (request.method === 'GET' && url.pathname === '/oauth/authorize') return authorize(url.searchParams, response);
    if (request.method === 'POST' && url.pathname === '/oauth/token') return void exchange(request, response);
    response.writeHead(404).end();
  });

  /** What cannot be sent back is told here, as the standard wants it. */
  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const redirect = query.get('redirect_uri') ?? '';
    const challenge = query.get('code_challenge') ?? '';
    const known = query.get('client_id') === CLIENT && oauth.redirects.includes(redirect);
    const right = query.get('response_type') === 'code' && query.get('code_challenge_method') === 'S256' && challenge.length === 43;
    if (!known || !right) return void response.writeHead(400, { 'content-type': 'text/html' }).end('Invalid request');
    const code = randomBytes(16).toString('hex');
    codes.set(code, { challenge, redirect, scope: query.get('scope') ?? '' });
    const back = (answer: Record<string, string>): string => {
      const address = new URL(redirect);
      address.search = new URLSearchParams({ ...answer, state: query.get('state') ?? '' }).toString();
      return address.href.replaceAll('&', '&amp;');
    };
    const denial = { error: 'access_denied', error_description: 'The user denied the request' };
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><link rel="icon" href="data:,"><title>Hub</title><p id="scope">${query.get('scope') ?? ''}</p><a href="${back({ code })}">Authorize</a> <a href="${back(denial)}">Deny</a>`);
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await text(request));
    oauth.exchanges.push(body);
    const answer = (status: number, json: object): void => void response.writeHead(status, { 'content-type': 'application/json', 'access-control-allow-origin': '*' }).end(JSON.stringify(json));
    const code = codes.get(body.get('code') ?? '');
    codes.delete(body.get('code') ?? '');
    const proof = createHash('sha256').update(body.get('code_verifier') ?? '').digest('base64url');
    if (body.get('client_id') !== CLIENT || body.has('client_secret')) return answer(401, { error: 'invalid_client' });
    if (body.get('grant_type') !== 'authorization_code' || !code || code.redirect !== body.get('redirect_uri') || code.challenge !== proof) {
      return answer(400, { error: 'invalid_grant', error_description: 'Invalid authorization code' });
    }
    const token = `hf_oauth_${randomBytes(8).toString('hex')}`;
    oauth.given.set(token, code.scope);
    answer(200, { access_token: token, token_type: 'bearer', expires_in: oauth.lasts, scope: code.scope });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  oauth.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  oauth.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return oauth;
}
