/** Light, dark, or as the system wishes; kept in this browser. `public/theme.js` applies the choice before first paint. */

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'marft-theme';
const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };

export class ThemeStore {
  choice = $state<Theme>(read());

  /** On to the next of the three. */
  cycle(): void {
    this.choice = NEXT[this.choice];
    if (this.choice === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.choice;
    try {
      localStorage.setItem(KEY, this.choice);
    } catch {
      // Storage is refused: the choice lasts until the page is closed.
    }
  }
}

function read(): Theme {
  const theme = document.documentElement.dataset.theme;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** One page, one theme. */
export const theme = new ThemeStore();
