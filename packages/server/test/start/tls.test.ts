// Both listeners over TLS, with the operator's certificate.

import { request } from 'node:https';
import { expect, test } from 'vitest';
import { makeScratch } from '../../../../test/support/embedded/scratch.ts';
import { startTestServer } from '../../../../test/support/harness.ts';
import { testCertificate, writeTlsFiles } from '../../../../test/support/start/test-certificate.ts';

function statusOf(url: string, ca: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('both listeners serve only TLS with OPENTILL_TLS_CERT and OPENTILL_TLS_KEY', async () => {
  await using scratch = await makeScratch();
  const files = await writeTlsFiles(scratch.path);
  // With TLS, addresses other than loopback are allowed.
  await using server = await startTestServer({ env: { ...files, OPENTILL_HOST: '0.0.0.0' } });
  expect(server.publicUrl).toMatch(/^https:\/\/0\.0\.0\.0:\d+$/);
  expect(server.operatorUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const publicUrl = server.publicUrl.replace('0.0.0.0', '127.0.0.1');
  const details = `${publicUrl}/v2/purchase/details/P-1/none`;
  expect(await statusOf(details, testCertificate.cert)).toBe(401);
  expect(await statusOf(`${server.operatorUrl}/health/ready`, testCertificate.cert)).toBe(200);
  await expect(statusOf(details, '')).rejects.toThrow(/self-signed/);
  await expect(fetch(details.replace('https:', 'http:'))).rejects.toThrow();
});
