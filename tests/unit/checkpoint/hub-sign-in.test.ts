import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginSignIn, finishSignIn, parseAttempt, type SignInAttempt } from '../../../src/checkpoint/hub-sign-in.ts';
import { PlaygroundError } from '../../../src/runtime/errors.ts';
import { CLIENT, startOAuth, type OAuthServer } from './oauth-server.ts';

const BACK = 'https://playground.example/sub/';

let oauth: OAuthServer;
beforeEach(async () => {
  oauth = await startOAuth([BACK]);
});
afterEach(() => oauth.close());

async function codeOf(error: Promise<unknown>): Promise<string> {
  const caught = await error.then(() => null, (reason: unknown) => reason);
  if (caught instanceof PlaygroundError) return caught.code;
  throw new Error('there was no PlaygroundError', { cause: caught });
}

/** Follows `Authorize` or `Deny` of the Hub's page. */
async function answerOf(address: string, link: 'Authorize' | 'Deny'): Promise<URLSearchParams> {
  const page = await (await fetch(address)).text();
  const href = new RegExp(`href="([^"]+)">${link}`).exec(page)?.[1];
  if (href === undefined) throw new Error(page);
  const back = new URL(href.replaceAll('&amp;', '&'));
  expect(back.origin + back.pathname).toBe(BACK);
  return back.searchParams;
}

function begin(privateModels = false): { address: string; attempt: SignInAttempt } {
  return beginSignIn(CLIENT, BACK, { privateModels }, oauth);
}

describe('signing in at the Hub', () => {
  it('asks for reading gated models only, for private ones when they are wanted, and never sends the verifier ahead', () => {
    const { address, attempt } = begin();
    const query = new URL(address).searchParams;
    expect(query.get('scope')).toBe('gated-repos');
    expect(new URL(begin(true).address).searchParams.get('scope')).toBe('gated-repos read-repos');
    expect(attempt.verifier).toMatch(/^[\w-]{43}$/);
    expect(address).not.toContain(attempt.verifier);
    expect(begin().attempt).not.toEqual(attempt);
    expect(parseAttempt(JSON.parse(JSON.stringify(attempt)))).toEqual(attempt);
    expect(parseAttempt({ ...attempt, verifier: 3 })).toBeNull();
    expect(parseAttempt(null)).toBeNull();
  });

  it('exchanges the code for a token that lasts as long as the Hub says', async () => {
    const { address, attempt } = begin();
    const { token, expiresAt } = await finishSignIn(attempt, await answerOf(address, 'Authorize'), oauth);
    expect(oauth.given.get(token)).toBe('gated-repos');
    expect(Math.abs((expiresAt ?? 0) - Date.now() - 28_800_000)).toBeLessThan(60_000);
    expect([...(oauth.exchanges[0] ?? [])].map(([name]) => name)).not.toContain('client_secret');
  });

  it('sends nothing for an answer to another attempt, or to none', async () => {
    const { address, attempt } = begin();
    const answer = await answerOf(address, 'Authorize');
    expect(await codeOf(finishSignIn(begin().attempt, answer, oauth))).toBe('sign-in-state');
    expect(await codeOf(finishSignIn(null, answer, oauth))).toBe('sign-in-state');
    answer.delete('state');
    expect(await codeOf(finishSignIn(attempt, answer, oauth))).toBe('sign-in-state');
    expect(oauth.exchanges).toEqual([]);
  });

  it('says when the owner denied it, when a code is used twice, and when the proof is another', async () => {
    const { address, attempt } = begin();
    expect(await codeOf(finishSignIn(attempt, await answerOf(address, 'Deny'), oauth))).toBe('sign-in-denied');
    const answer = await answerOf(address, 'Authorize');
    await finishSignIn(attempt, answer, oauth);
    expect(await codeOf(finishSignIn(attempt, answer, oauth))).toBe('sign-in-refused');
    const next = await answerOf(address, 'Authorize');
    await expect(finishSignIn({ ...attempt, verifier: begin().attempt.verifier }, next, oauth)).rejects.toThrow('(invalid_grant)');
    expect(oauth.given.size).toBe(1);
  });

  it('shows only letters of a reason that anybody may have written', async () => {
    const { attempt } = begin();
    const answer = new URLSearchParams({ state: attempt.state, error: '<b>invalid_scope</b>' });
    await expect(finishSignIn(attempt, answer, oauth)).rejects.toThrow('(b invalid_scope  b)');
  });

  it('says when the Hub cannot be reached', async () => {
    const { address, attempt } = begin();
    const answer = await answerOf(address, 'Authorize');
    // Port 1 is nobody's.
    expect(await codeOf(finishSignIn(attempt, answer, { endpoint: 'http://127.0.0.1:1' }))).toBe('network');
  });
});
