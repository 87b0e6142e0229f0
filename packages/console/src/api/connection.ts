// Whether the server responds. Every call reports whether it got a response.

import { useSyncExternalStore } from 'react';
import { serverNow } from '../runtime/clock.ts';

interface Connection {
  /** A call got no response, and none has got one since. */
  readonly isLost: boolean;
  /** In ms, of the server. */
  readonly lastResponseAt: number | undefined;
}

let connection: Connection = { isLost: false, lastResponseAt: undefined };
const listeners = new Set<() => void>();

function replaceConnection(next: Connection): void {
  const hasChanged = next.isLost !== connection.isLost;
  connection = next;
  if (hasChanged) for (const listener of listeners) listener();
}

/** Makes a call, and notes whether it got a response. A call that was aborted says nothing. */
export async function fetchNoting(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init);
    replaceConnection({ isLost: false, lastResponseAt: serverNow() });
    return response;
  } catch (error) {
    if (init.signal?.aborted !== true) replaceConnection({ ...connection, isLost: true });
    throw error;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => connection);
}
