// OPENTILL_HOST=localhost on a machine whose localhost has several addresses.

import type dns from 'node:dns';
import { afterEach, expect, test, vi } from 'vitest';
import { exchange } from '../attack/raw-exchange.ts';
import { startTestServer } from '../harness.ts';

afterEach(() => void vi.restoreAllMocks());

type Tell = (error: null, found: readonly { address: string; family: number }[]) => void;

/** Replaces the DNS lookups of Fastify and Node.js; 127.0.0.2 replaces ::1, which not every machine has. */
function lookUpTwo(host: string, _options: unknown, tell: Tell): void {
  const addresses = host === 'localhost' ? ['127.0.0.1', '127.0.0.2'] : [host];
  process.nextTick(
    tell,
    null,
    addresses.map((address) => ({ address, family: 4 })),
  );
}

test('a server on localhost listens on one address, where every error is JSON, and on no other', async () => {
  const lookup = lookUpTwo as unknown as typeof dns.lookup;
  vi.spyOn(process.getBuiltinModule('node:dns'), 'lookup').mockImplementation(lookup);
  const host = 'localhost';
  await using server = await startTestServer({
    env: { OPENTILL_HOST: host, OPENTILL_OPERATOR_HOST: host },
  });
  for (const url of [server.publicUrl, server.operatorUrl]) {
    expect(new URL(url).hostname).toBe('127.0.0.1');
    const request = { bytes: 'no request\r\n\r\n', cuts: [], end: 'half-close' } as const;
    expect((await exchange(url, request)).received).toMatch(/\r\n\r\n\{.*\}$/);
    const other = url.replace('127.0.0.1', '127.0.0.2');
    expect(await exchange(other, request)).toEqual({ received: '', ended: 'reset' });
  }
});
