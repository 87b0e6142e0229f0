// opentill gateway test: what it sends to a gateway, and what it says about its responses.

import { createServer } from 'node:https';
import { expect, test } from 'vitest';
import { makeScratch } from '../../../test/support/embedded/scratch.ts';
import { useForFile } from '../../../test/support/harness.ts';
import { listenOnLoopback } from '../../../test/support/loopback.ts';
import { runExample } from '../../../test/support/renewals/documented-gateway.ts';
import { gatewaySecretText, startTestGateway } from '../../../test/support/renewals/test-gateway.ts';
import { responseText, startRawServer } from '../../../test/support/runtime/raw-server.ts';
import { opentill, opentillHere } from '../../../test/support/start/program-process.ts';
import { testCertificate, writeTlsFiles } from '../../../test/support/start/test-certificate.ts';

const run = (url: string, ...options: string[]) =>
  opentillHere(['gateway', 'test', ...options], {
    env: { OPENTILL_PAYMENT_GATEWAY_URL: url, OPENTILL_PAYMENT_GATEWAY_SECRET: gatewaySecretText },
  });

const example = await useForFile(runExample());

test('the documented example passes, and none of its requests is charged', async () => {
  const { code, stdout, stderr } = await run(example.url, '--yes');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.replace(/\d+ ms/, 'n ms')).toBe(`ok  signature  a wrong signature got the status 401
ok  outcome  paid
ok  time to respond  n ms of at most 10000
ok  key repeated  the same outcome
`);
  expect(example.output()).not.toContain('charging');
});

test('a gateway that accepts a wrong signature gets no other request, and fails', async () => {
  await using gateway = await startTestGateway();
  const { code, stdout } = await run(gateway.url, '--yes', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([{ verdict: 'failed', name: 'signature' }]);
  expect(gateway.orders).toEqual([
    {
      idempotencyKey: expect.stringMatching(/^test\/[\w-]{16}$/),
      ...{ packageName: 'test', productId: 'test', firstPurchaseId: 'test', developerPayload: '' },
      ...{
        period: 'P1M',
        periodIndex: 1,
        attempt: 1,
        price: 0,
        currency: 'EUR',
        startTime: expect.any(Number),
        test: true,
      },
    },
  ]);
});

const refused = responseText('', { status: '401 Unauthorized' });

test.each([
  [
    'an outcome that is not known',
    [refused, responseText('{"outcome":"declined_final"}')],
    ['ok', 'failed'],
    'outcome: expected paid, declined, declinedFinal or pending, got "declined_final"',
  ],
  [
    'a charge that is pending',
    [refused, responseText('{"outcome":"pending"}')],
    ['ok', 'failed'],
    'expected paid, declined or declinedFinal, got pending',
  ],
  [
    'two outcomes for one key',
    [refused, responseText('{"outcome":"paid"}'), responseText('{"outcome":"declined"}')],
    ['ok', 'ok', 'ok', 'failed'],
    'expected the outcome paid, got declined',
  ],
])('a gateway with %s fails', async (_, answers, verdicts, problem) => {
  await using raw = await startRawServer();
  let asked = 0;
  raw.speak((socket) => {
    socket.write(answers[asked] ?? refused);
    asked += 1;
  });
  const { code, stdout } = await run(raw.url, '--yes', '--json');
  expect(code).toBe(1);
  const results: readonly { readonly verdict: string; readonly detail: string }[] = JSON.parse(stdout);
  expect(results.map(({ verdict }) => verdict)).toEqual(verdicts);
  expect(results.at(-1)?.detail).toBe(problem);
  expect(asked).toBe(answers.length);
});

test('without a terminal and --yes nothing is sent, and the URL is named', async () => {
  await using gateway = await startTestGateway();
  const { code, stdout, stderr } = await run(gateway.url);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`Send test requests to ${gateway.url}?`);
  expect(gateway.orders).toEqual([]);
});

test('without a gateway in the settings it says which are missing', async () => {
  const { code, stderr } = await opentillHere(['gateway', 'test', '--yes']);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^OPENTILL_PAYMENT_GATEWAY_URL: required/)]);
});

test("a gateway with a certificate of the store's own authority is trusted by NODE_EXTRA_CA_CERTS alone", async () => {
  await using scratch = await makeScratch();
  const { OPENTILL_TLS_CERT } = await writeTlsFiles(scratch.path);
  const server = createServer(testCertificate, (_request, response) => response.writeHead(401).end());
  await using gateway = await listenOnLoopback(server);
  const env = {
    OPENTILL_PAYMENT_GATEWAY_URL: `https://127.0.0.1:${gateway.port}/charge`,
    OPENTILL_PAYMENT_GATEWAY_SECRET: gatewaySecretText,
  };
  const refused = await opentill(['gateway', 'test', '--yes'], { env });
  expect(refused.stdout).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
  const trusted = await opentill(['gateway', 'test', '--yes'], {
    env: { ...env, NODE_EXTRA_CA_CERTS: OPENTILL_TLS_CERT },
  });
  expect(trusted.stdout).toContain('ok  signature  a wrong signature got the status 401');
});
