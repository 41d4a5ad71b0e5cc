import { svelte } from '@sveltejs/vite-plugin-svelte';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

const ORT_DIST = path.join(import.meta.dirname, 'node_modules/onnxruntime-web/dist');

/** ONNX Runtime's loaders and binaries that a backend may ask for: plain WASM, and WebGPU with or without JSPI. */
const ORT_FILE = /^ort-wasm-simd-threaded(\.asyncify|\.jspi)?\.(mjs|wasm)$/;

/** Models come from here when the user asks for one: the Hub, and the hosts to which it redirects for large files. */
const HUB_HOSTS = 'https://huggingface.co https://*.huggingface.co https://*.hf.co';

/** Fetching anything from elsewhere than the Hub, inline scripts and `eval` are refused; WASM needs its own word. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  `connect-src 'self' ${HUB_HOSTS}`,
  "img-src 'self' data: blob:",
  "style-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Serves ONNX Runtime's own files from `ort/` beside the page, so that nothing comes from a CDN. */
function selfHostedOrt(): Plugin {
  return {
    name: 'self-hosted-ort',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const match = /\/ort\/([^/?]+)(?:\?.*)?$/.exec(request.url ?? '');
        const name = match?.[1];
        if (name === undefined || !ORT_FILE.test(name)) return next();
        response.setHeader('Content-Type', name.endsWith('.wasm') ? 'application/wasm' : 'text/javascript');
        createReadStream(path.join(ORT_DIST, name)).on('error', next).pipe(response);
      });
    },
    async generateBundle() {
      const names = (await readdir(ORT_DIST)).filter((name) => ORT_FILE.test(name));
      for (const name of names) {
        this.emitFile({ type: 'asset', fileName: `ort/${name}`, source: await readFile(path.join(ORT_DIST, name)) });
      }
    },
  };
}

/** Loads `public/theme.js` before anything is painted: as a plain script, because a module would run too late. */
function earlyTheme(): Plugin {
  return {
    name: 'early-theme',
    transformIndexHtml: {
      order: 'post',
      handler: () => [{ tag: 'script', attrs: { src: './theme.js' }, injectTo: 'head-prepend' }],
    },
  };
}

/** Puts the policy into the built page. While developing, Vite itself needs inline styles and a socket. */
function contentSecurityPolicy(): Plugin {
  return {
    name: 'content-security-policy',
    apply: 'build',
    transformIndexHtml: () => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: CONTENT_SECURITY_POLICY },
        injectTo: 'head-prepend',
      },
    ],
  };
}

/** Where the page will be published, for signing in at the Hub: `MARFT_ADDRESS=https://example.org/marft/ npm run build`. */
const ADDRESS = process.env['MARFT_ADDRESS'];

/**
 * Writes who the page is to the Hub: `oauth.json`, which the page reads, and the client's description, which the Hub reads at the address that is
 * its id (OAuth Client ID Metadata Document). Without an address nobody can sign in, and the page says so.
 */
function hubSignIn(): Plugin {
  const site = ADDRESS === undefined ? null : new URL(ADDRESS.endsWith('/') ? ADDRESS : `${ADDRESS}/`);
  const id = site && new URL('.well-known/oauth-cimd', site).href;
  const forPage = JSON.stringify({ clientId: id });
  const forHub = site && { client_id: id, client_name: 'MARFT Playground', client_uri: site.href, redirect_uris: [site.href], token_endpoint_auth_method: 'none' };
  return {
    name: 'hub-sign-in',
    configureServer(server) {
      server.middlewares.use('/oauth.json', (_, response) => response.setHeader('Content-Type', 'application/json').end(forPage));
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'oauth.json', source: forPage });
      if (forHub) this.emitFile({ type: 'asset', fileName: '.well-known/oauth-cimd', source: JSON.stringify(forHub, null, 2) });
    },
  };
}

const SERVICE_WORKER = 'service-worker';

/** Files of a build that bear a hash of what they hold in their names. */
const NAMED_BY_CONTENT = /^assets\//;

/** Writes into the service worker which files there are, so that it is another one for every build. */
function offlineFiles(): Plugin {
  const PUBLIC = path.join(import.meta.dirname, 'public');
  const hash = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  return {
    name: 'offline-files',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const worker = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === SERVICE_WORKER);
        if (worker?.type !== 'chunk') return;
        if (worker.imports.length > 0) throw new Error('the service worker would need other files before it could serve them');
        const files: Record<string, string | null> = {};
        for (const [name, file] of Object.entries(bundle)) {
          // Neither itself nor what only other sites read.
          if (file === worker || name.startsWith('.')) continue;
          files[name] = NAMED_BY_CONTENT.test(name) ? null : hash(file.type === 'chunk' ? file.code : file.source);
        }
        for (const entry of await readdir(PUBLIC, { recursive: true, withFileTypes: true })) {
          const file = path.join(entry.parentPath, entry.name);
          if (entry.isFile()) files[path.relative(PUBLIC, file).split(path.sep).join('/')] = hash(await readFile(file));
        }
        if (!('index.html' in files)) throw new Error('the page itself is not among the files');
        const list = JSON.stringify(Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))));
        worker.code = `const BUILD_FILES=${list},BUILD_VERSION="${hash(list).slice(0, 16)}";\n${worker.code}`;
      },
    },
  };
}

/** The isolation headers that `npm start` sends too: with them WASM may use threads and exact clocks. */
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export default defineConfig({
  // Relative addresses: the build runs under any sub-path of any static host.
  base: './',
  plugins: [svelte(), selfHostedOrt(), earlyTheme(), hubSignIn(), contentSecurityPolicy(), offlineFiles()],
  // Without this condition the bundle would hold ONNX Runtime's binary a second time.
  resolve: { conditions: [...defaultClientConditions, 'onnxruntime-web-use-extern-wasm'] },
  optimizeDeps: { exclude: ['onnxruntime-web'] },
  worker: { format: 'es' },
  // A font as a data address would need a hole in the content-security policy.
  build: {
    target: 'es2022',
    assetsInlineLimit: (file) => (/\.(woff2?|ttf)$/.test(file) ? false : undefined),
    rolldownOptions: {
      input: { index: path.join(import.meta.dirname, 'index.html'), [SERVICE_WORKER]: path.join(import.meta.dirname, 'workers/service-worker.ts') },
      // It serves the folder that it lies in, under the same name for ever.
      output: { entryFileNames: ({ name }) => (name === SERVICE_WORKER ? '[name].js' : 'assets/[name]-[hash].js') },
    },
  },
  server: { headers: ISOLATION },
  preview: { headers: ISOLATION },
});
