// The allowed destinations of webhooks, by URL and by address.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addressOfHost,
  isAllowedAddress,
  isLoopbackName,
  parseAllowedAddresses,
  parseWebhookUrl,
  type WebhookRules,
} from '../../../src/domain/webhooks/webhook-address.ts';

const production: WebhookRules = { allowsHttp: false, allowsLoopback: false, allowedRanges: [] };
const ownMachine: WebhookRules = { allowsHttp: true, allowsLoopback: true, allowedRanges: [] };

function allowing(text: string, rules = production): WebhookRules {
  const allowed = parseAllowedAddresses(text);
  if ('problem' in allowed) throw new Error(allowed.problem);
  return { ...rules, ...allowed };
}

const allowingAll = allowing('0.0.0.0/0, ::/0');

const publicAddresses = ['1.1.1.1', '8.8.8.8', '172.15.255.255', '172.32.0.0', '2606:4700::1111', '3000::1'];
const loopback = ['127.0.0.1', '127.255.255.254', '::1', '::ffff:7f00:1', '64:ff9b::7f00:1'];
const linkLocal = ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', '::ffff:169.254.169.254'];
const noReceiver = ['0.0.0.0', '0.1.2.3', '::', '224.0.0.1', '255.255.255.255', 'ff02::1', '::ffff:0.0.0.0'];
const ofClouds = [
  ...['168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::a83f:8110', '100.100.100.200'],
  ...['fd00:ec2::254', 'fd00:0ec2:0:0::0254', 'fd00:ec2::254%eth0', 'fd20:ce::254'],
];
const privateAddresses = ['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', 'fd00::1'];
const specialAddresses = [
  ...['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1'],
  ...['::7f00:1', '::ffff:0:127.0.0.1', '64:ff9b::a00:1', '64:ff9b:1::a00:1', '2001:db8::1', '2001::1'],
  ...['2002:7f00:1::', '100::1', 'fec0::1', '4000::1'],
];

describe('webhook addresses', () => {
  test.each(publicAddresses)('%s is public', (address) => {
    expect(isAllowedAddress(address, production)).toBe(true);
  });

  test.each(loopback)('%s is loopback and is not allowed by any range', (address) => {
    expect(isAllowedAddress(address, ownMachine)).toBe(true);
    expect(isAllowedAddress(address, production)).toBe(false);
    expect(isAllowedAddress(address, allowingAll)).toBe(false);
  });

  test.each([...linkLocal, ...noReceiver, ...ofClouds])('%s is never allowed', (address) => {
    for (const rules of [production, ownMachine, allowingAll]) {
      expect(isAllowedAddress(address, rules)).toBe(false);
    }
  });

  test.each([...privateAddresses, ...specialAddresses])('%s is not public and can be allowed', (address) => {
    expect(isAllowedAddress(address, production)).toBe(false);
    expect(isAllowedAddress(address, ownMachine)).toBe(false);
    expect(isAllowedAddress(address, allowingAll)).toBe(true);
  });

  test('a text that is not an IP address is not allowed', () => {
    for (const text of ['', 'localhost', '1.2.3.4.5', '::1::', '10.0.0.1/8', 'undefined']) {
      expect(isAllowedAddress(text, { ...allowingAll, allowsLoopback: true })).toBe(false);
    }
  });

  test('any IPv4 address is judged the same in both of its IPv6 forms', () => {
    const ofEachKind = fc.constantFrom('10.1.2.3', '192.168.1.1', '1.1.1.1', '127.0.0.1', '169.254.169.254');
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), ofEachKind), (address) => {
        const bytes = address.split('.').map(Number);
        const hex = Buffer.from(bytes)
          .toString('hex')
          .replace(/(....)/, '$1:');
        for (const rules of [production, ownMachine, allowing('10.0.0.0/8')]) {
          const isAllowed = isAllowedAddress(address, rules);
          expect(isAllowedAddress(`::ffff:${address}`, rules)).toBe(isAllowed);
          expect(isAllowedAddress(`64:ff9b::${hex}`, rules)).toBe(isAllowed);
        }
      }),
    );
  });
});

describe('allowed ranges', () => {
  test('allowed ranges are addresses and CIDR blocks, and allow exactly what they contain', () => {
    const rules = allowing('10.1.0.0/16, 192.168.7.9,fd00:1::/32, fd00:3::7');
    for (const address of ['10.1.255.255', '192.168.7.9', 'fd00:1::9', 'fd00:3::7']) {
      expect(isAllowedAddress(address, rules)).toBe(true);
    }
    for (const address of ['10.2.0.0', '192.168.7.8', 'fd00:2::9', 'fd00:3::6']) {
      expect(isAllowedAddress(address, rules)).toBe(false);
    }
  });

  test.each(['', ' ', ','])('the setting "%s" allows no ranges', (text) => {
    expect(parseAllowedAddresses(text)).toEqual({ allowedRanges: [], allowsLoopback: false });
  });

  test('the word loopback allows this machine, next to ranges', () => {
    const allowed = parseAllowedAddresses(' loopback , 10.0.0.0/8');
    expect(allowed).toEqual({ allowedRanges: [expect.anything()], allowsLoopback: true });
  });

  test.each([
    ['a name', 'internal.example'],
    ['the word loopback in another spelling', 'Loopback'],
    ['too many bits', '10.0.0.0/33'],
    ['loopback', '127.0.0.0/8'],
    ['link-local', '169.254.169.254'],
    ['IPv4 embedded in IPv6', '::ffff:10.0.0.0/104'],
    ['a number', '167772161'],
  ])('a range setting with %s is rejected', (_what, text) => {
    expect(parseAllowedAddresses(`10.0.0.0/8,${text}`)).toEqual({
      problem: expect.stringContaining('entry 2'),
    });
  });
});

describe('webhook URLs', () => {
  const parsed = (text: string, rules = production) => {
    const url = parseWebhookUrl(text, rules);
    return 'problem' in url ? url.problem : url.href;
  };

  test.each([
    ['https://example.com', 'https://example.com/'],
    ['https://Example.COM:443/hooks?key=1', 'https://example.com/hooks?key=1'],
    ['https://example.com:8443/hooks', 'https://example.com:8443/hooks'],
    ['https://example.com:80/hooks', 'https://example.com:80/hooks'],
    ['https://example.com:1024/hooks', 'https://example.com:1024/hooks'],
    ['https://1.1.1.1/hooks', 'https://1.1.1.1/hooks'],
    ['https://[2606:4700::1111]/hooks', 'https://[2606:4700::1111]/hooks'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ])('%s is allowed in production', (text, href) => {
    expect(parsed(text)).toBe(href);
  });

  test.each([
    ['http://example.com/', 'https://host/path'],
    ['ftp://example.com/', 'https://host/path'],
    ['example.com', 'https://host/path'],
    ['', 'https://host/path'],
    ['https://user@example.com/', 'password'],
    ['https://:password@example.com/', 'password'],
    ['https://example.com/#', 'fragment'],
    ['https://example.com:22/', '1024'],
    ['https://example.com:1023/', '1024'],
    ['https://localhost/', 'public address'],
    ['https://a.localhost./', 'public address'],
    ['https://169.254.169.254/latest', 'public address'],
    ['https://2130706433/', 'public address'],
    ['https://0x7f.1/', 'public address'],
    ['https://[::1]/', 'public address'],
    ['https://[64:ff9b::7f00:1]/', 'public address'],
  ])('%s is rejected in production: %s', (text, problem) => {
    expect(parsed(text)).toContain(problem);
  });

  test.each([
    ['http://127.0.0.1:9000/hooks', 'http://127.0.0.1:9000/hooks'],
    ['http://localhost:9000/', 'http://localhost:9000/'],
    ['http://[::1]/', 'http://[::1]/'],
    ['http://10.0.0.1/', 'public address'],
    ['ftp://127.0.0.1/', 'http(s)://host/path'],
  ])('in a sandbox on the own machine %s results in %s', (text, expected) => {
    expect(parsed(text, ownMachine)).toContain(expected);
  });

  test('a URL with an address in an allowed range is allowed', () => {
    expect(parsed('https://10.0.0.1/', allowing('10.0.0.0/8'))).toBe('https://10.0.0.1/');
    expect(parsed('https://10.0.0.1/', allowing('10.1.0.0/16'))).toContain('public address');
  });

  test('the address is read from a URL with an IP literal, and from no other', () => {
    expect(addressOfHost(new URL('https://[::1]:8443/'))).toBe('::1');
    expect(addressOfHost(new URL('https://0x7f000001/'))).toBe('127.0.0.1');
    expect(addressOfHost(new URL('https://example.com/'))).toBeUndefined();
  });
});

test('localhost and its subdomains are loopback names, and others are not', () => {
  expect(['localhost', 'LOCALHOST.', 'a.b.localhost'].map(isLoopbackName)).toEqual([true, true, true]);
  expect(['notlocalhost', 'localhost.example.com', 'example.com'].some(isLoopbackName)).toBe(false);
});
