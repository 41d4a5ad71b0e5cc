/**
 * Requests to the Hugging Face Hub. What may pass by itself (a cut connection, 429, 5xx) is tried again a few times; what does not
 * becomes a sentence. The token goes into the request's header and nowhere else; on a redirect to another host `fetch` leaves it out.
 */
import { PlaygroundError } from '../runtime/errors.ts';

export const HUB_ENDPOINT = 'https://huggingface.co';

export interface HubOptions {
  /** Where the Hub is, without a slash at the end. */
  endpoint?: string | undefined;
  /** A token of the user's account, for gated and private models. */
  token?: string | undefined;
  /** Waits that many milliseconds; tests do not wait. */
  wait?: ((milliseconds: number) => Promise<void>) | undefined;
  /** A connection over which nothing comes for so long counts as cut, in milliseconds. */
  patience?: number | undefined;
  /** Ends what is under way, with the error `stopped`. */
  signal?: AbortSignal | undefined;
}

/** Times that anything is tried, the first included. */
const ATTEMPTS = 5;
/** Milliseconds before the second attempt; doubled for each further one. */
const FIRST_WAIT = 500;
/** What a server may ask to wait for at most, in milliseconds. */
const LONGEST_WAIT = 30_000;
const DEFAULT_PATIENCE = 60_000;
/** Once so many bytes have come, a connection that is cut again counts as a new trouble. */
const PROGRESS = 1024 * 1024;

const TOO_MANY = 429;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export class HubClient {
  readonly endpoint: URL;
  readonly #headers: Record<string, string>;
  readonly #hasToken: boolean;
  readonly #wait: (milliseconds: number) => Promise<void>;
  readonly #patience: number;
  readonly #signal: AbortSignal | undefined;

  /** Throws a PlaygroundError (`hub-endpoint`) for an address that is none, or that a token must not be sent to. */
  constructor({ endpoint, token, wait, patience = DEFAULT_PATIENCE, signal }: HubOptions) {
    this.endpoint = hubEndpoint({ endpoint });
    this.#hasToken = token !== undefined && token !== '';
    // A header that cannot be sent would fail with an error that holds the token.
    if (this.#hasToken && !/^[\x21-\x7e]+$/.test(token ?? '')) {
      throw new PlaygroundError('hub-token', 'The token for the Hub holds characters that no token has.', 'Copy it again from the settings of your account.');
    }
    if (this.#hasToken && this.endpoint.protocol !== 'https:' && !LOOPBACK.has(this.endpoint.hostname)) {
      throw new PlaygroundError('hub-endpoint', `A token is not sent to ${this.endpoint.href}, which is not encrypted.`, 'Use an address with https, or no token.');
    }
    this.#headers = this.#hasToken ? { authorization: `Bearer ${token}` } : {};
    this.#wait = wait ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)));
    this.#patience = patience;
    this.#signal = signal;
  }

  /** The JSON at `path`, which is part of a message when it cannot be had. */
  async json(path: string, repository: string): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const { response, watch } = await this.#open(path, {}, repository, repository);
      try {
        return JSON.parse(await response.text());
      } catch (cause) {
        this.#heed();
        if (attempt === ATTEMPTS) throw new PlaygroundError('network', `${this.endpoint.host} gave no whole answer about ${repository}.`, AGAIN, { cause });
      } finally {
        watch.stop();
      }
      await this.#pause(attempt);
    }
  }

  /**
   * Bytes [start, end) of the file of `size` bytes at `path`, in order, in pieces as they come. Where the connection is cut, the
   * next one goes on at the first byte that is missing. `name` is the file's, for messages.
   */
  async *bytes(path: string, name: string, repository: string, start: number, end: number, size: number): AsyncGenerator<Uint8Array> {
    let position = start;
    let failures = 0;
    let since = start;
    while (position < end) {
      const { response, watch } = await this.#open(path, { range: `bytes=${position}-${end - 1}` }, name, repository);
      let cause: unknown;
      try {
        for await (const piece of piecesOf(response, name, position, end, size, watch)) {
          yield piece;
          position += piece.length;
        }
      } catch (error) {
        if (error instanceof PlaygroundError) throw error;
        this.#heed();
        cause = error;
      } finally {
        watch.stop();
      }
      if (position >= end) return;
      if (position - since >= PROGRESS) failures = 0;
      since = position;
      failures += 1;
      if (failures === ATTEMPTS) {
        throw new PlaygroundError('network', `The connection was cut ${ATTEMPTS} times while ${name} of ${repository} was fetched.`, AGAIN, { cause });
      }
      await this.#pause(failures);
    }
  }

  /** An answer that is good; its body is still to come and must be read or cancelled, and the watch stopped. */
  async #open(path: string, headers: Record<string, string>, name: string, repository: string): Promise<{ response: Response; watch: Watch }> {
    for (let attempt = 1; ; attempt++) {
      this.#heed();
      const watch = new Watch(this.#patience, this.#signal);
      let response: Response | null = null;
      let cause: unknown;
      try {
        response = await fetch(new URL(path, this.endpoint), { headers: { ...this.#headers, ...headers }, signal: watch.signal });
      } catch (error) {
        this.#heed();
        cause = error;
      }
      if (response?.ok) return { response, watch };
      watch.stop();
      await response?.body?.cancel().catch(() => undefined);
      if (response && response.status !== TOO_MANY && response.status < 500) throw this.#refusal(response, name, repository);
      if (attempt === ATTEMPTS) throw this.#unreachable(response, name, cause);
      await this.#pause(attempt, response);
    }
  }

  /** Throws where the caller wants no more of it. */
  #heed(): void {
    if (this.#signal?.aborted) throw new PlaygroundError('stopped', 'The download was stopped.', 'It can go on from where it was; what has come is kept.');
  }

  #pause(attempt: number, response: Response | null = null): Promise<void> {
    const asked = Number(response?.headers.get('retry-after') ?? Number.NaN) * 1000;
    const waited = this.#wait(asked >= 0 ? Math.min(asked, LONGEST_WAIT) : FIRST_WAIT * 2 ** (attempt - 1));
    return this.#signal ? Promise.race([waited, aborted(this.#signal)]) : waited;
  }

  #unreachable(response: Response | null, name: string, cause: unknown): PlaygroundError {
    if (response?.status === TOO_MANY) {
      return new PlaygroundError('network', `${this.endpoint.host} allows no more requests for now, so ${name} could not be fetched.`, 'Wait some minutes; with a token of your account more are allowed.');
    }
    const what = response ? `the server answered ${response.status}` : 'the connection failed';
    return new PlaygroundError('network', `${name} could not be fetched from ${this.endpoint.host}: ${what}.`, AGAIN, { cause });
  }

  /** The sentence for an answer that trying again does not change. */
  #refusal({ status, headers }: Response, name: string, repository: string): PlaygroundError {
    const reason = headers.get('x-error-code') ?? '';
    const page = new URL(repository, this.endpoint).href;
    const kind = repository.startsWith('datasets/') ? 'data set' : 'model';
    if (status === 401 || status === 403) {
      // A token that the Hub knows is told which model it may not read.
      if (this.#hasToken && status === 401 && reason === '') {
        return new PlaygroundError('hub-token', `${this.endpoint.host} does not take this token or sign-in: it has run out, was revoked or never was one.`, 'Sign in again in the page, or give another token of your account (HF_TOKEN on the command line).');
      }
      if (this.#hasToken) {
        return new PlaygroundError('hub-access', `The Hub does not give ${repository} to the account of this token.`, `Open ${page}, accept the ${kind}'s terms if it has any, and check that the token may read it.`);
      }
      return new PlaygroundError(
        'hub-access',
        reason === 'GatedRepo' ? `${repository} is gated: the Hub gives it to accounts that accepted its terms.` : `The Hub does not show ${repository} to strangers: it is private, gated or not there.`,
        `Check the name; if it is right, open ${page}, accept the ${kind}'s terms, and sign in or give a read token of your account (HF_TOKEN on the command line).`,
      );
    }
    if (status === 404 && reason === 'RevisionNotFound') {
      return new PlaygroundError('hub-missing', `${repository} has no such revision.`, `Look for its branches and tags at ${page}.`);
    }
    if (status === 404 && name === repository) return new PlaygroundError('hub-missing', `There is no ${kind} ${repository} at ${this.endpoint.host}.`, 'Check the name.');
    if (status === 404) return new PlaygroundError('file-missing', `There is no ${name} in ${repository}.`, `Choose another ${kind} or revision.`);
    return new PlaygroundError('network', `${name} could not be fetched: ${this.endpoint.host} answered ${status}.`, AGAIN);
  }
}

const AGAIN = 'Check the network and try again; what has come so far is kept where there is a cache.';

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The pieces of a body that belong to [position, end), whether the server sent the range or the whole file. */
async function* piecesOf(response: Response, name: string, position: number, end: number, size: number, watch: Watch): AsyncGenerator<Uint8Array> {
  const changed = (detail: string): never => {
    throw new PlaygroundError('checkpoint-broken', `${name} is not what the Hub says it is: ${detail}.`, 'Try again later, or name another revision.');
  };
  const partial = response.status === 206;
  const sent = response.headers.get('content-range');
  const length = response.headers.get('content-length');
  // To a page, a server may keep the range to itself; the length then has to do.
  const asAsked = sent === null ? Number(length ?? Number.NaN) === end - position : sent.replace(/-\d+\//, '/') === `bytes ${position}/${size}`;
  if (partial && !asAsked) changed(`it sent "${sent ?? `${length ?? 'some'} bytes`}" where byte ${position} of ${size} was asked for`);
  // The length of a compressed body says nothing about the file's.
  if (!partial && length !== null && response.headers.get('content-encoding') === null && Number(length) !== size) changed(`it has ${length} bytes instead of ${size}`);
  if (!response.body) return;
  let skip = partial ? 0 : position;
  let left = end - position;
  const reader = response.body.getReader();
  try {
    while (left > 0) {
      watch.pat();
      const { done, value } = await reader.read();
      if (done) return;
      const piece = value.subarray(Math.min(skip, value.length)).subarray(0, left);
      skip -= Math.min(skip, value.length);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Aborts a request over which nothing has come for so many milliseconds, or when `outer` says so. */
class Watch {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = (): void => this.#controller.abort();

  constructor(
    private readonly patience: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    outer?.addEventListener('abort', this.#abort);
    this.pat();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something has come. */
  pat(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#abort, this.patience);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.outer?.removeEventListener('abort', this.#abort);
  }
}

/** The address, with a slash at the end. Throws a PlaygroundError (`hub-endpoint`) for one that is none. */
export function hubEndpoint({ endpoint: text = HUB_ENDPOINT }: Pick<HubOptions, 'endpoint'>): URL {
  const url = URL.canParse(text) ? new URL(text.endsWith('/') ? text : `${text}/`) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new PlaygroundError('hub-endpoint', `"${text.slice(0, 200)}" is no address of a Hub.`, `Write it like ${HUB_ENDPOINT}.`);
  }
  return url;
}
