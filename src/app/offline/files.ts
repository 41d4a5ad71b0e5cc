/** Which of the page's own files are kept for when there is no network, and how each is got. */

/** Every file of a build by its path below the page: the SHA-256 of what it holds, in hexadecimal; null where its name says what it holds. */
export type FileList = Readonly<Record<string, string | null>>;

export const PAGE = 'index.html';

/** What only some runs need, at ten megabytes and more: kept once it is asked for. */
const ON_DEMAND = /^ort\/|^assets\/(pyodide|python_stdlib)/;

/** What is kept from the first visit on. */
export function keptAhead(files: FileList): string[] {
  return Object.keys(files).filter((file) => !ON_DEMAND.test(file));
}

/** What of a request matters here. */
export interface Wanted {
  url: string;
  method: string;
  /** `navigate` when the browser opens a page. */
  mode: string;
}

/** The file of the build that a request means; null for everything else, which is none of our business. `scope` is the page's folder. */
export function fileOf({ url, method, mode }: Wanted, scope: string, files: FileList): string | null {
  if (method !== 'GET') return null;
  const address = new URL(url);
  const folder = new URL(scope);
  if (address.origin !== folder.origin || !address.pathname.startsWith(folder.pathname)) return null;
  const path = address.pathname.slice(folder.pathname.length);
  // The page reads its query itself; of other files a query may make another.
  if (mode === 'navigate') return path === '' || path === PAGE ? PAGE : null;
  return address.search === '' && Object.hasOwn(files, path) ? path : null;
}

/**
 * The same response with the headers by which a page is isolated, so that WASM may use threads also where the host cannot send them; those that
 * it does send stay.
 */
export function isolated(response: Response): Response {
  // What leads elsewhere, or holds nothing, is passed on as it is.
  if (response.type === 'opaque' || response.type === 'opaqueredirect' || response.redirected || response.body === null) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of ISOLATION) if (!headers.has(name)) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

const ISOLATION = [
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Embedder-Policy', 'require-corp'],
] as const;
