// The doctor's checks of the listeners and of the payment gateway.

import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { makeScratch } from '../../../../test/support/embedded/scratch.ts';
import { startTestServer } from '../../../../test/support/harness.ts';
import { listenOnLoopback } from '../../../../test/support/loopback.ts';
import { writeTlsFiles } from '../../../../test/support/start/test-certificate.ts';
import { readConfig } from '../../src/config/config.ts';
import { checkListeners, checkTls } from '../../src/program/commands/checks.ts';
import { checkGateway } from '../../src/program/commands/doctor.ts';

test('doctor recognizes a running server even if its certificate is unknown here', async () => {
  await using scratch = await makeScratch();
  const files = await writeTlsFiles(scratch.path);
  await using server = await startTestServer({ env: files });
  const [publicPort, operatorPort] = [new URL(server.publicUrl).port, new URL(server.operatorUrl).port];
  const ports = { OPENTILL_PORT: publicPort, OPENTILL_OPERATOR_PORT: operatorPort };
  expect(await checkListeners(readConfig({ ...files, ...ports }), { mayRun: true })).toEqual([
    { name: 'public listener', verdict: 'ok', detail: `127.0.0.1:${publicPort}, where a server runs` },
    { name: 'operator listener', verdict: 'ok', detail: `127.0.0.1:${operatorPort}, where a server runs` },
  ]);
});

test.each([
  ['2026-10-27', 'ok', 'certificate valid until 2126-10-27'],
  ['2126-10-20', 'warning', 'the certificate expires on 2126-10-27'],
  ['2126-10-28', 'failed', 'The TLS certificate expired on 2126-10-27.'],
])("doctor's check of a certificate on %s results in %s", async (day, verdict, detail) => {
  await using scratch = await makeScratch();
  const files = await writeTlsFiles(scratch.path);
  expect(await checkTls(readConfig(files), Date.parse(day))).toEqual({ name: 'TLS', verdict, detail });
});

const examinedGateway = (port: number) =>
  checkGateway(
    readConfig({
      OPENTILL_ENVIRONMENT: 'production',
      OPENTILL_PAYMENT_GATEWAY_URL: `http://127.0.0.1:${port}/charge`,
      OPENTILL_PAYMENT_GATEWAY_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    }),
  );

test('doctor accepts a payment gateway that responds, and rejects one that breaks off', async () => {
  const asked: unknown[] = [];
  const responding = createServer(({ method, url }, response) => {
    asked.push([method, url]);
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  await using gateway = await listenOnLoopback(responding);
  const name = 'payment gateway';
  const detail = `http://127.0.0.1:${gateway.port} responds (307 to HEAD)`;
  expect(await examinedGateway(gateway.port)).toEqual({ name, verdict: 'ok', detail });
  expect(asked).toEqual([['HEAD', '/charge']]);
  await using broken = await listenOnLoopback(createServer(({ socket }) => void socket.destroy()));
  expect(await examinedGateway(broken.port)).toEqual({
    name,
    verdict: 'failed',
    detail: expect.stringMatching(/does not respond: the connection was closed without a response$/),
  });
});
