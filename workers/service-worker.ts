/** The entry point of the service worker: after the first visit the page opens and trains without a network. */
import { fileOf, isolated, type FileList } from '../src/app/offline/files.ts';
import { FileStore } from '../src/app/offline/store.ts';

declare const self: ServiceWorkerGlobalScope;
/** Written in by the build. */
declare const BUILD_FILES: FileList;
declare const BUILD_VERSION: string;

const { scope } = self.registration;
const store = new FileStore({ caches, fetch: (request) => fetch(request) }, BUILD_FILES, scope, BUILD_VERSION);

self.addEventListener('install', (event) => event.waitUntil(store.keepAhead()));
self.addEventListener('activate', (event) => event.waitUntil(store.removeOthers()));

// The page says which files of ONNX Runtime it would compute with.
self.addEventListener('message', (event) => {
  const { keep } = event.data as { keep?: unknown };
  if (!Array.isArray(keep)) return;
  event.waitUntil(Promise.allSettled(keep.map((file) => store.keep(String(file)))));
});

self.addEventListener('fetch', (event) => {
  const file = fileOf(event.request, scope, BUILD_FILES);
  if (file !== null) event.respondWith(store.answer(file, event.request).then(isolated));
});
