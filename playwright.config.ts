import { defineConfig } from '@playwright/test';
import { existsSync } from 'node:fs';

/** Another port and a build of one's own let two people of one machine test side by side. */
const PORT = Number(process.env['E2E_PORT'] ?? 41_730);
const FOLDER = process.env['E2E_FOLDER'];

const USUAL_LOCATIONS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** A browser of this machine: none is ever downloaded. */
function chromiumPath(): string {
  const named = process.env['CHROME_PATH'];
  const found = named !== undefined && existsSync(named) ? named : USUAL_LOCATIONS.find((location) => existsSync(location));
  if (found === undefined) {
    throw new Error('No Chromium was found. Install Chromium or Chrome (on Debian: apt-get install chromium), or set CHROME_PATH to one.');
  }
  return found;
}

/** As root Chromium needs --no-sandbox; the others keep it from talking to its maker. */
const QUIET = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
];

function launchWith(...flags: string[]): { launchOptions: { executablePath: string; args: string[] } } {
  return { launchOptions: { executablePath: chromiumPath(), args: [...QUIET, ...flags] } };
}

export default defineConfig({
  testDir: 'tests',
  // Training takes the processor; two runs side by side would only slow each other down.
  workers: 1,
  fullyParallel: false,
  timeout: 240_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  reporter: 'list',
  // Tests route and count requests, which a service worker would answer itself; the one that is about it allows it.
  use: { baseURL: `http://localhost:${PORT}/`, viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' },
  projects: [
    // Without a GPU `requestAdapter` returns null: the honest test of a browser without WebGPU.
    { name: 'no-gpu', testDir: 'tests/e2e', use: launchWith('--disable-gpu') },
    // A software adapter: right numbers, slowly.
    { name: 'software-gpu', testDir: 'tests/browser', use: launchWith('--enable-unsafe-webgpu') },
  ],
  webServer: {
    command: `node scripts/start.mjs --no-open --port ${PORT}${FOLDER === undefined ? '' : ` --folder ${FOLDER}`}`,
    url: `http://localhost:${PORT}/`,
    timeout: 180_000,
    reuseExistingServer: false,
  },
});
