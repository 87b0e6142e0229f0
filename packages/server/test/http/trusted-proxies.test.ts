// Which peers a server believes about the address of a client.

import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { clientAddress, trustProxies } from '../../src/http/listener/client.ts';
import { createListener } from '../../src/http/listener/listener.ts';
import { createMetrics } from '../../src/runtime/metrics.ts';
import { exchange } from './raw-exchange.ts';

const proxied = { OPENTILL_TRUSTED_PROXIES: 'loopback, 10.1.0.0/16,2001:db8::7' };

async function startListener(env: Record<string, string>) {
  const config = readConfig(env);
  const logLines: string[] = [];
  const listener = createListener({
    log: pino({}, { write: (line: string) => void logLines.push(line) }),
    logCall: () => undefined,
    metrics: createMetrics(),
    nextRequestId: () => 'request',
    tls: undefined,
    isTrustedProxy: config.trustedProxies && trustProxies(config.trustedProxies),
    errorForm: () => 'purchase',
    sendUnrouted: (_request, reply) => reply.send(),
    connectionsMax: 1,
  });
  listener.get('/', (request) => ({ address: request.call.clientAddress }));
  const addressSeen = async (remoteAddress: string, forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    return (await listener.inject({ url: '/', remoteAddress, headers })).json().address;
  };
  return { addressSeen, listener, logLines };
}

test.each(['127.0.0.1', '10.1.200.3', '::ffff:10.1.0.1', '2001:db8::7'])(
  'behind a proxy, X-Forwarded-For from %s names the client, by its last entry',
  async (peer) => {
    const { addressSeen, logLines } = await startListener(proxied);
    expect(await addressSeen(peer, '192.0.2.1, 198.51.100.2')).toBe('198.51.100.2');
    expect(logLines.join()).not.toContain('OPENTILL_TRUSTED_PROXIES');
  },
);

test.each(['10.2.0.1', '2001:db8::8', '::ffff:10.2.0.1'])(
  'behind a proxy, X-Forwarded-For from %s, which is not trusted, is ignored with one warning',
  async (peer) => {
    const { addressSeen, logLines } = await startListener(proxied);
    for (const forwarded of ['192.0.2.1', '192.0.2.2']) expect(await addressSeen(peer, forwarded)).toBe(peer);
    expect(await addressSeen(peer)).toBe(peer);
    const warnings = logLines.filter((line) => line.includes('OPENTILL_TRUSTED_PROXIES'));
    expect(warnings.map((line) => JSON.parse(line).address)).toEqual([peer]);
  },
);

test('without a proxy, X-Forwarded-For is ignored', async () => {
  const { addressSeen, logLines } = await startListener({});
  expect(await addressSeen('127.0.0.1', '192.0.2.1')).toBe('127.0.0.1');
  expect(logLines.join()).not.toContain('OPENTILL_TRUSTED_PROXIES');
});

test.each([
  [
    'the PROXY protocol of version 1',
    'PROXY TCP4 192.0.2.1 10.1.0.7 4711 80\r\nGET / HTTP/1.1\r\n\r\n',
    'PROXY protocol',
  ],
  ['the PROXY protocol of version 2', '\r\n\r\n\0\r\nQUIT\n\x20\0\0\0', 'PROXY protocol'],
  ["HAProxy's default check", 'OPTIONS / HTTP/1.0\r\n\r\n', 'HAProxy'],
])('%s is named in one line of the log', async (_what, bytes, named) => {
  const { listener, logLines } = await startListener({});
  await using _closing = { [Symbol.asyncDispose]: () => listener.close() };
  const url = await listener.listen({ port: 0, host: '127.0.0.1' });
  for (let sent = 0; sent < 2; sent += 1)
    expect((await exchange(url, { bytes, cuts: [], end: 'half-close' })).received).toMatch(/^HTTP/);
  const warnings = logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
  expect(warnings).toMatchObject([{ address: '127.0.0.1', msg: expect.stringContaining(named) }]);
});

const of = (ip: string) =>
  clientAddress({ ip, socket: { remoteAddress: '127.0.0.1' } } as Parameters<typeof clientAddress>[0]);

test.each([
  ['192.0.2.1:4711', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
])('with X-Forwarded-For %j the client address is %s', (forwarded, address) => {
  expect(of(forwarded)).toBe(address);
});

test.each(['', 'unknown', '192.0.2.256', '192.0.2.1.5:80', '[192.0.2', 'a'.repeat(10_000)])(
  'with X-Forwarded-For %j, which is not an address, the client address is that of the proxy',
  (forwarded) => {
    expect(of(forwarded)).toBe('127.0.0.1');
  },
);
