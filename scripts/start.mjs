/**
 * `npm start`: builds the page if it is missing or older than its sources, serves it on this computer and opens it.
 *
 *   node scripts/start.mjs [--port N] [--no-open] [--folder DIR]
 *
 * With --folder a build that lies there is served as it is, and nothing is built.
 */
import { spawn } from 'node:child_process';
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = path.join(import.meta.dirname, '..');
const BUILD = path.join(ROOT, 'dist');

/** What the build is made from. */
const SOURCES = ['src', 'workers', 'public', 'index.html', 'vite.config.ts', 'svelte.config.js', 'package-lock.json'];

const DEFAULT_PORT = 5180;

/** How many ports after the wanted one are tried before giving up. */
const PORTS_TRIED = 50;

const MIME = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

const HEADERS = {
  // Isolation lets WASM use threads and exact clocks.
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  // A worker does not inherit the page's own policy; the header gives it one.
  'Content-Security-Policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self' https://huggingface.co https://*.huggingface.co https://*.hf.co; img-src 'self' data: blob:",
  // Any page may embed this one, also one that is isolated itself.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-cache',
};

/** Modification time of the newest file, in ms; 0 when there is none. */
function newest(file) {
  if (!existsSync(file)) return 0;
  const stat = statSync(file);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(file).reduce((latest, name) => Math.max(latest, newest(path.join(file, name))), 0);
}

function buildIsCurrent() {
  const index = path.join(BUILD, 'index.html');
  if (!existsSync(index)) return false;
  const built = statSync(index).mtimeMs;
  return SOURCES.every((source) => newest(path.join(ROOT, source)) <= built);
}

async function buildPage() {
  let vite;
  try {
    vite = await import('vite');
  } catch {
    console.error('The packages are not installed yet. Run "npm ci" first.');
    process.exit(1);
  }
  console.log('Building the page (a few seconds) …');
  await vite.build({ root: ROOT, logLevel: 'error' });
}

/** The served folder's file that a request means, or null for anything outside it or missing. */
function fileFor(url) {
  let pathname;
  try {
    pathname = decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return null;
  }
  if (pathname.includes('\0')) return null;
  const file = path.join(served, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
  const inside = file.startsWith(served + path.sep);
  return inside && existsSync(file) && statSync(file).isFile() ? file : null;
}

function serve(request, response) {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { ...HEADERS, Allow: 'GET, HEAD' }).end();
    return;
  }
  const file = fileFor(request.url ?? '/');
  if (file === null) {
    response.writeHead(404, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8' }).end('There is no such file.');
    return;
  }
  const type = MIME[path.extname(file)] ?? 'application/octet-stream';
  response.writeHead(200, { ...HEADERS, 'Content-Type': type, 'Content-Length': statSync(file).size });
  if (request.method === 'HEAD') response.end();
  else createReadStream(file).on('error', () => response.destroy()).pipe(response);
}

/** Listens on the first free port from `port` on. */
function listen(server, port, triesLeft = PORTS_TRIED) {
  return new Promise((resolve, reject) => {
    const onError = (error) => {
      if (error.code !== 'EADDRINUSE' || triesLeft === 0) reject(error);
      else resolve(listen(server, port + 1, triesLeft - 1));
    };
    server.once('error', onError);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', onError);
      resolve(port);
    });
  });
}

/** Best effort: where no browser can be opened, the printed address has to do. */
function openBrowser(address) {
  const [command, ...rest] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  const child = spawn(command, [...rest, address], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

const { values } = parseArgs({
  options: { port: { type: 'string' }, 'no-open': { type: 'boolean', default: false }, folder: { type: 'string' } },
});
const wanted = values.port === undefined ? DEFAULT_PORT : Number(values.port);
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 65535 - PORTS_TRIED) {
  console.error(`--port must be a whole number between 1 and ${65535 - PORTS_TRIED}.`);
  process.exit(1);
}

const served = path.resolve(values.folder ?? BUILD);
if (!existsSync(path.join(served, 'index.html')) && values.folder !== undefined) {
  console.error(`There is no build in ${served}.`);
  process.exit(1);
}
if (values.folder === undefined && !buildIsCurrent()) await buildPage();
const port = await listen(createServer(serve), wanted);
const address = `http://localhost:${port}/`;
console.log(`MARFT Playground is running at ${address} (Ctrl+C stops it)`);
if (!values['no-open'] && !process.env.CI) openBrowser(address);
