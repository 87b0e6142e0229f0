import { expect, test } from 'vitest';
import { clientAddress } from '../../src/http/listener/client.ts';

const of = (ip: string) =>
  clientAddress({ ip, socket: { remoteAddress: '127.0.0.1' } } as Parameters<typeof clientAddress>[0]);

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:4711', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['[2001:DB8::A]:4711', '2001:DB8::A'],
])('with X-Forwarded-For %j the client address is %s', (forwarded, address) => {
  expect(of(forwarded)).toBe(address);
});

test.each(['', 'unknown', '_hidden', '192.0.2.256', '192.0.2.1.5:80', '[192.0.2', 'a'.repeat(10_000), '1'])(
  'with X-Forwarded-For %j, which is not an address, the client address is that of the proxy',
  (forwarded) => {
    expect(of(forwarded)).toBe('127.0.0.1');
  },
);
