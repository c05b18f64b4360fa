// Requests to the gateway. All addresses are relative, so that the page works behind any path prefix.
import { words } from './words.js';

const root = new URL('.', location.href.split('#')[0]);
export const address = (path) => new URL(path, root).href;

/** An error from the gateway, with a remedy. */
export class Problem extends Error {
  constructor(status, sentence, remedy) {
    super(sentence);
    this.status = status;
    this.remedy = remedy ?? null;
  }
}

export async function ask(path, { method = 'GET', body, signal, patience = 10_000 } = {}) {
  const ending = new AbortController(), end = () => ending.abort(), limit = setTimeout(end, patience);
  signal?.addEventListener('abort', end, { once: true });
  let reply;
  try {
    reply = await fetch(address(path), {
      method, credentials: 'same-origin', cache: 'no-store',
      signal: ending.signal,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, words.offline);
  } finally { clearTimeout(limit); }
  if (reply.ok) {
    if (reply.status === 204) return null;
    return reply.headers.get('content-type')?.includes('json') ? reply.json() : reply.text();
  }
  const told = await reply.json().catch(() => ({}));
  // The session may have ended: the rights that the page knows are asked for again.
  if (reply.status === 403 && method !== 'GET') dispatchEvent(new Event('refused'));
  throw new Problem(reply.status, told.error ?? words.status(reply.status), told.remedy);
}

export const api = (path, options) => ask(`./api/v1/${path}`, options);
/** A name as a part of an address. Browsers would resolve . and .. as folders, so these are encoded twice. */
export const part = (name) => /^\.\.?$/.test(name) ? name.replaceAll('.', '%252E') : encodeURIComponent(name);

/** Others are computing: tries again for a while. */
export async function patiently(ask) {
  for (let left = 8; ; left -= 1) {
    try { return await ask(); } catch (error) { if (error.status !== 503 || !left) throw error; }
    await new Promise((done) => setTimeout(done, 700));
  }
}
