// The TLS files: which are refused before a handshake fails, and when their end needs attention.

import { generateKeyPairSync } from 'node:crypto';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makeScratch } from '../../../../test/support/embedded/scratch.ts';
import { freshDatabase, startTestServer, useForFile } from '../../../../test/support/harness.ts';
import {
  ed25519Certificate,
  issuedCertificate,
  testCertificate,
  writeTlsFiles,
} from '../../../../test/support/start/test-certificate.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { readConfig } from '../../src/config/config.ts';
import { dayMs } from '../../src/domain/time.ts';
import { checkTls } from '../../src/program/commands/checks.ts';

const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string;
const { cert, issuer, key } = issuedCertificate;

test.each([
  [
    'an EC certificate with an RSA key',
    { cert: testCertificate.cert, key: rsaKey },
    'expected the key of the certificate (ec), got another key (rsa)',
  ],
  [
    'an EC certificate with an Ed25519 key',
    { cert: testCertificate.cert, key: ed25519Certificate.key },
    'expected the key of the certificate (ec), got another key (ed25519)',
  ],
  [
    'a chain that starts with the issuer',
    { cert: issuer + cert, key },
    'expected the certificate of the key first in its file, got it as number 2',
  ],
  [
    'a chain with the certificate of another issuer',
    { cert: cert + testCertificate.cert, key },
    'expected each certificate to be followed by that of its issuer, got another one as number 2',
  ],
  ['a file without a certificate', { cert: key, key }, 'expected a certificate (PEM), got none'],
])('the check of a start, a reload and doctor refuses %s', async (_what, contents, problem) => {
  await using scratch = await makeScratch();
  const files = await writeTlsFiles(scratch.path, contents);
  await expect(checkTls(readConfig(files), Date.parse('2026-12-01'))).resolves.toEqual({
    name: 'TLS',
    verdict: 'failed',
    detail: `OPENTILL_TLS_CERT, OPENTILL_TLS_KEY: ${problem}.`,
  });
});

/** Reads the metrics, whatever the certificate. */
function metricsOf(operatorUrl: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${operatorUrl}/metrics`, { agent: false, rejectUnauthorized: false }, (response) =>
      resolve(text(response)),
    );
    sent.on('error', reject);
    sent.end();
  });
}

const database = await useForFile(freshDatabase());

test.each([
  ['from three weeks before the end of a long life', testCertificate, '2126-10-27T12:16:22Z', 21],
  [
    'in the last third of a life of 30 days, with a chain',
    { cert: cert + issuer, key },
    '2026-12-29T01:06:06Z',
    10,
  ],
  ['from three weeks before its end, with Ed25519', ed25519Certificate, '2126-11-05T01:05:39Z', 21],
])('a certificate needs attention %s, and its end is a metric', async (_what, contents, end, days) => {
  await using scratch = await makeScratch();
  const env = await writeTlsFiles(scratch.path, contents);
  const expiresAt = Date.parse(end);
  const dueAt = expiresAt - days * dayMs;
  for (const [now, count] of [
    [dueAt - 1, 0],
    [dueAt, 1],
  ] as const) {
    await using server = await startTestServer({ database, env, clock: new TestClock(now) });
    const metrics = await metricsOf(server.operatorUrl);
    expect(metrics).toContain(`\nopentill_attention{kind="certificate",app=""} ${count}\n`);
    expect(metrics).toContain(`\nopentill_certificate_expiry_timestamp_seconds ${expiresAt / 1000}\n`);
  }
});
