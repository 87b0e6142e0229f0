// Reads of which the page knows the latest response: the server sends an unchanged one without its body.

import { fetchNoting } from './connection.ts';

interface KnownResponse {
  readonly tag: string;
  readonly text: string;
}

/** Pages that refresh themselves repeat few calls. */
const knownMax = 20;

/** By URL, the least recently read first. */
const known = new Map<string, KnownResponse>();

export async function revalidatingFetch(url: string, init: RequestInit): Promise<Response> {
  if (init.method !== 'GET') return fetchNoting(url, init);
  const earlier = known.get(url);
  const headers = new Headers(init.headers);
  if (earlier !== undefined) headers.set('if-none-match', earlier.tag);
  const response = await fetchNoting(url, { ...init, headers });
  const tag = response.headers.get('etag');
  if (tag === null) return response;
  const isSame = response.status === 304 && earlier !== undefined;
  const text = isSame ? earlier.text : await response.text();
  known.delete(url);
  known.set(url, { tag, text });
  for (const oldest of known.keys()) {
    if (known.size <= knownMax) break;
    known.delete(oldest);
  }
  return new Response(text, { status: isSame ? 200 : response.status, headers: response.headers });
}
