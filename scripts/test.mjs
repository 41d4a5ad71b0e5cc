/**
 * `npm test`: everything that has to hold, step by step with its output visible. The last line counts the tests of all
 * steps; lint, type check and build count as one each. The exit code is 1 when anything failed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const reports = mkdtempSync(join(tmpdir(), 'marft-test-'));

const BROWSER_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const BROWSER_PATHS = [
  '/usr/bin/chromium',
  '/usr/lib/chromium/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Each step returns how many of its tests passed, failed and were skipped. */
const STEPS = [
  ['Lint', () => check('eslint', ['.'])],
  ['Type check', () => check('svelte-check', ['--tsconfig', './tsconfig.json', '--fail-on-warnings'])],
  ['Unit and reference tests', () => vitest('unit')],
  ['Build', () => check('vite', ['build'])],
  ['Browser and end-to-end tests', browserTests],
  ['Learning', () => vitest('learning')],
];

const total = { passed: 0, failed: 0, skipped: 0 };
for (const [title, step] of STEPS) {
  console.log(`\n=== ${title} ===`);
  const started = Date.now();
  const { passed, failed, skipped } = step();
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`--- ${title}: ${summary({ passed, failed, skipped })} in ${seconds} s`);
}
rmSync(reports, { recursive: true, force: true });
console.log(`\n${summary(total)}`);
process.exitCode = total.failed > 0 ? 1 : 0;

/** The exit status of a tool of this project, its output shown as it comes. */
function runTool(name, args, env = {}) {
  const command = join(ROOT, 'node_modules', '.bin', name);
  const { status, error } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
    shell: process.platform === 'win32',
  });
  if (error) console.log(`${name} could not be started: ${error.message}. Run "npm ci" first.`);
  return status ?? 1;
}

function check(name, args) {
  return runTool(name, args) === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

function vitest(project) {
  const file = join(reports, `${project}.json`);
  const args = ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const status = runTool('vitest', args);
  const report = readReport(file);
  if (!report) return { passed: 0, failed: 1, skipped: 0 };
  const skipped = report.numPendingTests + report.numTodoTests;
  return { passed: report.numPassedTests, failed: failures(report.numFailedTests, status), skipped };
}

function browserTests() {
  const chromium = findChromium() ?? installChromium();
  if (chromium === null) {
    console.log(
      'No Chromium was found, and it cannot be installed from here. Install Chromium or Chrome (on Debian: apt-get install ' +
        'chromium), or set CHROME_PATH to one.',
    );
    return { passed: 0, failed: 1, skipped: 0 };
  }
  console.log(`Browser: ${chromium}`);
  const file = join(reports, 'playwright.json');
  const status = runTool('playwright', ['test', '--reporter=list,json'], {
    CHROME_PATH: chromium,
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
    PLAYWRIGHT_JSON_OUTPUT_FILE: file,
  });
  const report = readReport(file);
  if (!report) return { passed: 0, failed: 1, skipped: 0 };
  const { expected, unexpected, flaky, skipped } = report.stats;
  // A test that passes only when repeated has failed.
  return { passed: expected, failed: failures(unexpected + flaky, status), skipped };
}

/** A tool may fail without a failed test: a file that does not load, an unhandled error. That counts as one. */
function failures(counted, status) {
  return counted === 0 && status !== 0 ? 1 : counted;
}

function readReport(file) {
  if (!existsSync(file)) return null;
  return JSON.parse(readFileSync(file, 'utf8'));
}

function findChromium() {
  const named = process.env.CHROME_PATH;
  if (named) {
    if (existsSync(named)) return named;
    console.log(`CHROME_PATH is ${named}, where there is nothing; looking elsewhere.`);
  }
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const onPath = folders.flatMap((folder) => BROWSER_NAMES.map((name) => join(folder, name)));
  return [...BROWSER_PATHS, ...onPath].find((path) => existsSync(path)) ?? null;
}

/** Debian's package, where this process may install packages; null otherwise. */
function installChromium() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return null;
  console.log('No Chromium was found; installing it: apt-get update && apt-get install -y chromium');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    if (spawnSync('apt-get', args, { stdio: 'inherit', env }).status !== 0) return null;
  }
  return findChromium();
}

function summary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
