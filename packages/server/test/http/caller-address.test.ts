import { expect, test } from 'vitest';
import { callerAddress } from '../../src/http/listener/caller-address.ts';

const of = (ip: string) =>
  callerAddress({ ip, socket: { remoteAddress: '127.0.0.1' } } as Parameters<typeof callerAddress>[0]);

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:4711', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['[2001:DB8::A]:4711', '2001:DB8::A'],
])('a proxy that says %j has seen %s', (said, address) => {
  expect(of(said)).toBe(address);
});

test.each(['', 'unknown', '_hidden', '192.0.2.256', '192.0.2.1.5:80', '[192.0.2', 'a'.repeat(10_000), '1'])(
  'a proxy that says %j, which is no address, counts itself',
  (said) => {
    expect(of(said)).toBe('127.0.0.1');
  },
);
