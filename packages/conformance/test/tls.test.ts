// Hosts are called over TLS, with the certificates of the machine or the given ones.

import { expect, test } from 'vitest';
import { testCertificate } from '../../../test/support/start/test-certificate.ts';
import { runConformance } from '../src/run-conformance.ts';
import { parseOrigin } from '../src/target.ts';
import { startPlantedServer } from './planted-server.ts';

test('a server with a trusted certificate passes, and nothing is sent to one with another certificate', async () => {
  await using server = await startPlantedServer({ tls: testCertificate });
  const options = { usesSandbox: true, allowsChanges: true, only: ['token', 'details', 'consume'] };
  const trusted = await runConformance({ ...server.target, ca: testCertificate.cert }, options);
  expect(trusted.counts).toEqual({ pass: trusted.checks.length, fail: 0, inconclusive: 0 });
  server.plant();
  const untrusted = await runConformance(server.target, options);
  expect(untrusted.counts).toEqual({ pass: 0, fail: 0, inconclusive: untrusted.checks.length });
  expect(untrusted.checks[0]?.because).toMatch(/got no response: self-signed certificate/);
  expect(server.calls).toEqual([]);
});

test.each([
  ['store.example:8443', 'https://store.example:8443'],
  ['https://store.example/', 'https://store.example'],
  ['http://localhost:8080', 'http://localhost:8080'],
])('the host %s is called at %s', (host, origin) => {
  expect(parseOrigin(host)).toEqual({ origin });
});

test.each(['https://a:b@store.example', 'http://127.0.0.1.store.example', ''])(
  'the host "%s" is rejected',
  (host) => expect(parseOrigin(host)).toHaveProperty('problem'),
);
