// The server passes every check of the conformance kit: in the sandbox with purchases that the kit creates, and in
// production with known purchases.

import { randomUUID } from 'node:crypto';
import { type ConformanceReport, type KnownRecords, runConformance } from '@opentill/conformance';
import { system } from '@opentill/conformance/runtime/system.ts';
import { expect, test } from 'vitest';
import { tryConsume, voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import {
  createTestApp,
  recordTestPurchase,
  type TestApp,
  type TestServer,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { gatewaySecretText } from '../../../../test/support/renewals/test-gateway.ts';
import { isCluster } from '../../../../test/support/test-databases.ts';

/** More than a page of the voided list. */
const voids = 101;
/** Purchases that are created concurrently: on a cluster on one machine, the last of many would time out. */
const voidsAtOnce = isCluster ? 4 : 20;

const tokenLifeMs = 3_600_000;

const recordOrder = (server: TestServer, app: TestApp, purchase = {}) =>
  recordTestPurchase(server, app, { orderId: randomUUID(), ...purchase });

async function recordVoided(server: TestServer, app: TestApp): Promise<string> {
  const { purchaseId } = await recordOrder(server, app);
  await voidTestPurchase(server, app, purchaseId);
  return purchaseId;
}

function runAgainst(
  server: TestServer,
  { packageName, clientId, clientSecret }: TestApp,
  known: KnownRecords,
  usesSandbox: boolean,
): Promise<ConformanceReport> {
  const target = { origin: server.publicUrl, packageName, clientId, clientSecret, known };
  const machine = { ...system, now: () => server.clock.now() };
  return runConformance(target, { usesSandbox, allowsChanges: true, machine });
}

function notPassed({ checks }: ConformanceReport) {
  return checks
    .filter(({ outcome }) => outcome !== 'pass')
    .map(({ id, outcome, because }) => ({ id, outcome, because }));
}

const gateway = {
  OPENTILL_PAYMENT_GATEWAY_URL: 'https://gateway.invalid/',
  OPENTILL_PAYMENT_GATEWAY_SECRET: gatewaySecretText,
};
const sandbox = await useTestServer();
const production = await useTestServer({ env: { OPENTILL_ENVIRONMENT: 'production', ...gateway } });

async function knownOf(server: TestServer, elsewhere: TestServer): Promise<KnownRecords> {
  const other = await createTestApp(server, 'com.example.other');
  const { purchaseId } = await recordOrder(server, other);
  const { token } = await createTestApp(elsewhere, 'com.example.elsewhere');
  return { otherPackage: other.packageName, otherPurchase: purchaseId, otherEnvironmentToken: token };
}

test('the sandbox passes every check', async () => {
  const app = await createTestApp(sandbox);
  for (let made = 0; made < voids; made += voidsAtOnce) {
    await Promise.all(Array.from({ length: voidsAtOnce }, () => recordVoided(sandbox, app)));
  }
  const report = await runAgainst(sandbox, app, await knownOf(sandbox, production), true);
  expect(notPassed(report)).toEqual([]);
});

test('production passes every check except those that need a sandbox', async () => {
  const app = await createTestApp(production);
  const record = async (purchase = {}): Promise<string> =>
    (await recordOrder(production, app, purchase)).purchaseId;
  const consumedPurchase = await record();
  await tryConsume(production, app, consumedPurchase);
  const known: KnownRecords = {
    ...(await knownOf(production, sandbox)),
    unconsumedPurchase: [await record(), await record()],
    productId: 'coins',
    consumedPurchase,
    voidedPurchase: await recordVoided(production, app),
    subscription: await record({ productId: 'monthly' }),
    expiredToken: app.token,
  };
  await recordVoided(production, app);
  await production.clock.advance(tokenLifeMs);
  const report = await runAgainst(production, app, known, false);
  expect(notPassed(report).map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
    'token-16 inconclusive',
    'token-17 inconclusive',
    'subscription-08 inconclusive',
    'voided-02 inconclusive',
    'size-03 inconclusive',
    'size-04 inconclusive',
    'size-05 inconclusive',
  ]);
});
