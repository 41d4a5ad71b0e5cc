/**
 * Sign-in with an account of the Hub by OAuth, for a page that can keep no secret: authorisation code with PKCE (RFC 7636). The browser
 * leaves for the Hub, comes back with a code, and the code is exchanged for a token together with a number that only this tab knows.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { PlaygroundError } from '../runtime/errors.ts';
import { hubEndpoint, type HubOptions } from './hub-client.ts';

/** What has to be remembered between leaving and coming back. */
export interface SignInAttempt {
  /** Comes back with the answer: another one belongs to somebody else's attempt. */
  state: string;
  /** Never leaves this computer before the exchange. */
  verifier: string;
  clientId: string;
  /** The address that the Hub sends the browser back to, as it is registered there. */
  redirect: string;
}

export interface SignedIn {
  token: string;
  /** Milliseconds since 1970; null where the Hub does not say. */
  expiresAt: number | null;
}

/** Reading models that the account was given access to; private ones are a right of their own. */
const GATED = 'gated-repos';
const PRIVATE = 'read-repos';

const AGAIN = 'Try to sign in again, or use an access token.';
/** Bytes of chance: 43 characters, the least that PKCE allows. */
const CHANCE = 32;

/** The address to leave for, and what to remember meanwhile. */
export function beginSignIn(clientId: string, redirect: string, { privateModels }: { privateModels: boolean }, options: Pick<HubOptions, 'endpoint'> = {}): { address: string; attempt: SignInAttempt } {
  const attempt = { state: chance(), verifier: chance(), clientId, redirect };
  const address = new URL('oauth/authorize', hubEndpoint(options));
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    scope: privateModels ? `${GATED} ${PRIVATE}` : GATED,
    state: attempt.state,
    code_challenge: base64Url(sha256(new TextEncoder().encode(attempt.verifier))),
    code_challenge_method: 'S256',
  }).toString();
  return { address: address.href, attempt };
}

/**
 * Exchanges the answer for a token. `attempt` is null where none was begun. Throws a PlaygroundError: `sign-in-state` for an answer to another
 * attempt, of which nothing is sent anywhere; `sign-in-denied`; `sign-in-refused` where the Hub gives no token; `network`.
 */
export async function finishSignIn(attempt: SignInAttempt | null, answer: URLSearchParams, options: Pick<HubOptions, 'endpoint'> = {}): Promise<SignedIn> {
  if (!attempt || answer.get('state') !== attempt.state) {
    throw new PlaygroundError('sign-in-state', 'This sign-in was not begun in this tab, so it was not used.', AGAIN);
  }
  const error = answer.get('error');
  if (error === 'access_denied') throw new PlaygroundError('sign-in-denied', 'You did not let this page read models with your account.', 'Public models work without. Sign in again if you change your mind.');
  if (error !== null) throw refused(error);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: answer.get('code') ?? '',
    redirect_uri: attempt.redirect,
    client_id: attempt.clientId,
    code_verifier: attempt.verifier,
  });
  const endpoint = hubEndpoint(options);
  let response: Response;
  let reply: Record<string, unknown>;
  try {
    response = await fetch(new URL('oauth/token', endpoint), { method: 'POST', body });
    reply = asRecord(await response.json().catch(() => null));
  } catch (cause) {
    throw new PlaygroundError('network', `${endpoint.host} could not be reached to finish the sign-in.`, `Check the network. ${AGAIN}`, { cause });
  }
  const { access_token: token, expires_in: seconds } = reply;
  if (!response.ok || typeof token !== 'string' || token === '') throw refused(typeof reply['error'] === 'string' ? reply['error'] : String(response.status));
  return { token, expiresAt: typeof seconds === 'number' && seconds > 0 ? Date.now() + seconds * 1000 : null };
}

/** Reads what was remembered. Null for anything else than an attempt. */
export function parseAttempt(value: unknown): SignInAttempt | null {
  const { state, verifier, clientId, redirect } = asRecord(value);
  const all = typeof state === 'string' && typeof verifier === 'string' && typeof clientId === 'string' && typeof redirect === 'string';
  return all ? { state, verifier, clientId, redirect } : null;
}

/** The reason is the Hub's word (or whoever made the address), so only its letters are shown. */
function refused(reason: string): PlaygroundError {
  const word = reason.replace(/[^\w.-]/g, ' ').slice(0, 60).trim();
  return new PlaygroundError('sign-in-refused', `The Hub did not complete the sign-in (${word === '' ? 'it gave no reason' : word}).`, AGAIN);
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function chance(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(CHANCE)));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
