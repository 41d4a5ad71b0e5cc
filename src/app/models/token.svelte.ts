/** The user's access token for the Hub. It lasts as long as the tab, and stands in no link, no file and no experiment. */

const KEY = 'marft-hub-token';

export class TokenStore {
  value = $state<string | null>(read());

  set(token: string): void {
    const value = token.trim();
    this.value = value === '' ? null : value;
    try {
      if (this.value === null) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, this.value);
    } catch {
      // Storage is refused: the token lasts until the page is closed.
    }
  }
}

function read(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}
