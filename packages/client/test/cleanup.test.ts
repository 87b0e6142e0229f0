// Calls leave no timer that would keep a program alive, and no listener on a signal that outlives them.

import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { realTiming } from '../src/timing.ts';
import { empty, refusal, scriptedClient, token } from './scripted-client.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const cut = () => {
  throw new TypeError('fetch failed');
};

test.each([
  ['succeeded', empty],
  ['was rejected', refusal(400, 9101)],
  ['got no response', cut],
])('a call that %s leaves neither a timer nor a listener', async (_what, response) => {
  const scripted = scriptedClient({ timing: realTiming, retriesMax: 0 });
  scripted.responses = [token('one'), response];
  const { signal } = new AbortController();
  await scripted.client.getVoidedPurchases({}, { signal }).catch(() => undefined);
  expect(scripted.responses).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
