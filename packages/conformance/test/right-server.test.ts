// The kit finds no fault on a correct server, reports checks without test data as inconclusive, and changes nothing
// without permission.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { checks } from '../src/checks/checks.ts';
import type { ConformanceReport } from '../src/report/report.ts';
import { type ConformanceOptions, runConformance } from '../src/run-conformance.ts';
import type { KnownRecords } from '../src/target.ts';
import { failed, type Reply } from './reference-server/answers.ts';
import { type ReferenceServer, startReferenceServer, targetOf } from './reference-server/reference-server.ts';
import type { Till } from './reference-server/till.ts';

let server: ReferenceServer;
let till: Till;
beforeAll(async () => {
  server = await startReferenceServer();
});
afterAll(() => server[Symbol.asyncDispose]());

function runWith(
  known: (seeded: Till['seeded']) => KnownRecords,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  till = server.plant();
  return runConformance({ ...targetOf(server), known: known(till.seeded) }, options);
}

const idsOf = ({ checks: results }: ConformanceReport, outcome: string) =>
  results.filter((result) => result.outcome === outcome).map(({ id }) => id);

const reasonsOf = ({ checks: results }: ConformanceReport) =>
  new Set(results.filter(({ outcome }) => outcome === 'inconclusive').map(({ because }) => because));

test('with a sandbox and the data that no sandbox can create, every check passes', async () => {
  const known = ({ otherPackage, otherPurchase, otherEnvironmentToken }: Till['seeded']) => ({
    otherPackage,
    otherPurchase,
    otherEnvironmentToken,
  });
  const report = await runWith(known, { usesSandbox: true, allowsChanges: true });
  expect(idsOf(report, 'pass')).toEqual(checks.map(({ id }) => id));
  expect(report.counts).toEqual({ pass: checks.length, fail: 0, inconclusive: 0 });
});

test('decisions that the specification leaves open pass', async () => {
  till = server.plant((seen, answer) => {
    // A missing header is a missing value, a missing record an undefined error, and the status of errors is not specified.
    if (seen.headers['authorization'] === undefined && !seen.path.includes('oauth'))
      return open(failed(9000));
    const reply = answer(seen);
    const { error } = reply.body as { readonly error?: { readonly code: number } };
    return open(error?.code === 9001 ? failed(9999) : reply);
  });
  const { otherPackage, otherPurchase, otherEnvironmentToken } = till.seeded;
  const target = { ...targetOf(server), known: { otherPackage, otherPurchase, otherEnvironmentToken } };
  const report = await runConformance(target, { usesSandbox: true, allowsChanges: true });
  expect(report.checks.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
});

/** Responds like another store might: always with 200, and with fields in another order and an additional one. */
function open({ body }: Reply): Reply {
  const fields = Object.entries({ ...(body as object), storeOfOrigin: 'another' }).reverse();
  const named = fields.map(([name, value]) => [name, name === 'scope' ? '' : value]);
  return { status: 200, body: Object.fromEntries(named) };
}

test('with known purchases, only checks that need an expired token or a new purchase are inconclusive', async () => {
  const report = await runWith((seeded) => seeded, { allowsChanges: true });
  expect(idsOf(report, 'fail')).toEqual([]);
  expect(idsOf(report, 'inconclusive')).toEqual([
    'token-16',
    'token-17',
    'subscription-08',
    'size-03',
    'size-04',
    'size-05',
  ]);
  expect([...till.purchases.values()].filter(({ isConsumed }) => isConsumed)).toHaveLength(3);
  expect([...till.subscriptions.values()].map(({ autoRenewing }) => autoRenewing)).toEqual([true]);
});

test('with credentials only, no check fails, and each reason names the missing option', async () => {
  const report = await runWith(() => ({}), { allowsChanges: true });
  expect(idsOf(report, 'fail')).toEqual([]);
  expect(report.counts.pass).toBeGreaterThan(50);
  expect([...reasonsOf(report)].sort()).toEqual([
    'Needs --consumed-purchase, or --sandbox.',
    'Needs --expired-token-file, or --sandbox.',
    'Needs --other-environment-token-file.',
    'Needs --other-package and --other-purchase.',
    'Needs --sandbox.',
    'Needs --subscription, or --sandbox.',
    'Needs --unconsumed-purchase with a second id, or --sandbox.',
    'Needs --unconsumed-purchase with its --product-id, or --sandbox.',
    'Needs --unconsumed-purchase, or --sandbox.',
    'Needs --voided-purchase, or --sandbox.',
    'The same token is issued until it ends; --sandbox can end it early.',
  ]);
});

test('without --allow-changes, no POST is sent for an existing purchase', async () => {
  const report = await runWith((seeded) => seeded);
  expect(idsOf(report, 'fail')).toEqual([]);
  const posted = server.calls.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'));
  const asked = posted.map(({ path }) => path.split('/')[4]);
  expect(new Set(asked)).toEqual(new Set(['NO-SUCH-PURCHASE----']));
  const changing = checks.filter(({ changes }) => changes).map(({ id }) => id);
  expect(idsOf(report, 'inconclusive')).toEqual(expect.arrayContaining(changing));
  expect([...reasonsOf(report)]).toContain('This check may change data and needs --allow-changes.');
});

test('with wrong credentials, no check that needs a token passes, and the first one reports the reason', async () => {
  till = server.plant();
  const target = { ...targetOf(server), clientSecret: 'another-secret' };
  const report = await runConformance(target, { allowsChanges: true });
  expect(idsOf(report, 'fail')).toEqual(['token-01']);
  expect(idsOf(report, 'pass')).toEqual([]);
  expect(report.checks[1]?.because).toMatch(
    /^There is no token\. The response to POST \/v2\/oauth\/token was 400/,
  );
});

test('an unknown check or group and an invalid timeout are rejected', async () => {
  await expect(runWith(() => ({}), { only: ['token', 'coins'] })).rejects.toThrow(
    'only: expected checks and groups, got coins.',
  );
  await expect(runWith(() => ({}), { runTimeoutMs: 540_001 })).rejects.toThrow('expected at most 540000');
  const report = await runWith(() => ({}), { only: ['content-type', 'token-03'] });
  expect(idsOf(report, 'pass')).toEqual(['token-03', 'content-type-01', 'content-type-02']);
});
