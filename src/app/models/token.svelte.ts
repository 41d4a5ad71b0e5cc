/** The user's token for the Hub, pasted or from signing in. It lasts as long as the tab, and stands in no link, no file and no experiment. */
import type { SignedIn } from '../../checkpoint/hub-sign-in.ts';

const KEY = 'marft-hub-token';
/** The longest that a timer can wait. */
const LONGEST_TIMER = 2 ** 31 - 1;

interface Access extends SignedIn {
  from: 'pasted' | 'sign-in';
}

export class TokenStore {
  access = $state.raw<Access | null>(null);
  /** Whether a sign-in ran out of its time. */
  ended = $state(false);

  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#take(read());
  }

  /** What to send to the Hub; null where there is nothing, or not any more. */
  get value(): string | null {
    return this.access === null || isOver(this.access) ? null : this.access.token;
  }

  set(token: string): void {
    const value = token.trim();
    this.#keep(value === '' ? null : { token: value, expiresAt: null, from: 'pasted' });
  }

  signIn(signedIn: SignedIn): void {
    this.#keep({ ...signedIn, from: 'sign-in' });
  }

  #keep(access: Access | null): void {
    this.ended = false;
    this.#take(access);
    try {
      if (access === null) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, JSON.stringify(access));
    } catch {
      // Storage is refused: the token lasts until the page is closed.
    }
  }

  #take(access: Access | null): void {
    clearTimeout(this.#timer);
    this.access = access;
    if (access === null || access.expiresAt === null) return;
    if (isOver(access)) {
      this.#keep(null);
      this.ended = true;
      return;
    }
    this.#timer = setTimeout(() => this.#take(access), Math.min(access.expiresAt - Date.now(), LONGEST_TIMER));
  }
}

function isOver({ expiresAt }: Access): boolean {
  return expiresAt !== null && expiresAt <= Date.now();
}

function read(): Access | null {
  try {
    const { token, expiresAt, from } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, unknown>;
    if (typeof token !== 'string' || token === '') return null;
    return { token, expiresAt: typeof expiresAt === 'number' ? expiresAt : null, from: from === 'sign-in' ? from : 'pasted' };
  } catch {
    return null;
  }
}
