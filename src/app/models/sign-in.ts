/**
 * The page's part in signing in at the Hub: leaving, coming back to the very address that was left, and who the page is to the Hub. What is
 * remembered meanwhile lies in this tab's session storage and is gone with the first return.
 */
import type { SignedIn } from '../../checkpoint/hub-sign-in.ts';

const KEY = 'marft-hub-sign-in';

/** What the browser came back with. */
export interface SignInReturn {
  /** As it was stored: to be read with care. */
  attempt: unknown;
  answer: URLSearchParams;
  /** The model that was being looked at, as it was typed. */
  model: string;
}

/**
 * Leaves for the Hub. `page` is `document.baseURI`: its folder is where the browser comes back to, and its query and fragment are put back then.
 * Throws where the browser keeps nothing for this tab, since nothing could then be known on the way back.
 */
export async function leaveForSignIn(clientId: string, model: string, rights: { privateModels: boolean }, page: string): Promise<void> {
  // Few ever sign in: the page opens without it.
  const { beginSignIn } = await import('../../checkpoint/hub-sign-in.ts');
  const here = new URL(page);
  const { address, attempt } = beginSignIn(clientId, new URL('./', here.origin + here.pathname).href, rights);
  sessionStorage.setItem(KEY, JSON.stringify({ attempt, back: here.pathname + here.search + here.hash, model }));
  location.assign(address);
}

/**
 * What the browser came back with, or null. Call before anything reads the address: it is replaced by the one that was left, so that
 * neither code nor state stay in it or in the history.
 */
export function takeSignInReturn(): SignInReturn | null {
  const here = new URL(location.href);
  const query = here.searchParams;
  if (!query.has('state') || !(query.has('code') || query.has('error'))) return null;
  const { attempt, back, model } = forget();
  history.replaceState(history.state, '', back === '' ? here.pathname : back);
  return { attempt, answer: query, model };
}

/** Throws a PlaygroundError where it did not work out. */
export async function completeSignIn({ attempt, answer }: SignInReturn): Promise<SignedIn> {
  const { finishSignIn, parseAttempt } = await import('../../checkpoint/hub-sign-in.ts');
  return finishSignIn(parseAttempt(attempt), answer);
}

/** The name by which the Hub knows this page, which whoever publishes it puts beside it; null where it has none. */
export async function readClientId(page: string): Promise<string | null> {
  try {
    const response = await fetch(new URL('oauth.json', page));
    const { clientId } = (await response.json()) as { clientId?: unknown };
    return typeof clientId === 'string' && clientId !== '' ? clientId : null;
  } catch {
    return null;
  }
}

function forget(): { attempt: unknown; back: string; model: string } {
  const nothing = { attempt: null, back: '', model: '' };
  try {
    const stored = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    if (stored === null) return nothing;
    const { attempt, back, model } = JSON.parse(stored) as Record<string, unknown>;
    return { attempt, back: typeof back === 'string' ? back : '', model: typeof model === 'string' ? model : '' };
  } catch {
    return nothing;
  }
}
