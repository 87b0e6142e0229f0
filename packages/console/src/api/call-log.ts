// The operator calls that the current page has made, newest first. Calls about the session are left out: they contain
// secrets, and belong to no page.

import type { SentCall } from '@opentill/client/operator';
import { useSyncExternalStore } from 'react';

/** A page that refreshes itself repeats its calls, which are listed once. */
const callsMax = 50;

let calls: readonly SentCall[] = [];
const listeners = new Set<() => void>();

function replaceCalls(next: readonly SentCall[]): void {
  calls = next;
  for (const listener of listeners) listener();
}

function isSame(left: SentCall, right: SentCall): boolean {
  return left.method === right.method && left.path === right.path && left.body === right.body;
}

export function logCall(call: SentCall): void {
  if (/Session$/.test(call.operation)) return;
  replaceCalls([call, ...calls.filter((known) => !isSame(known, call))].slice(0, callsMax));
}

/** For the next page. */
export function clearCalls(): void {
  replaceCalls([]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useCalls(): readonly SentCall[] {
  return useSyncExternalStore(subscribe, () => calls);
}
