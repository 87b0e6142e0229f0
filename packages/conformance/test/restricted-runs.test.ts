// A run without some of its options: what it cannot check is inconclusive, and it changes nothing without permission.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordTestPurchase } from '../../server/test/harness.ts';
import { voidTestPurchase } from '../../server/test/purchase-changes.ts';
import { checks } from '../src/checks/checks.ts';
import type { ConformanceReport } from '../src/report/report.ts';
import { type ConformanceOptions, runConformance } from '../src/run-conformance.ts';
import { system } from '../src/runtime/system.ts';
import type { ConformanceTarget } from '../src/target.ts';
import { type PlantedServer, startPlantedServer } from './planted-server.ts';

let planted: PlantedServer;
beforeAll(async () => {
  planted = await startPlantedServer();
});
afterAll(() => planted[Symbol.asyncDispose]());

function runWith(
  changed: Partial<ConformanceTarget>,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  planted.plant();
  const machine = { ...system, now: () => planted.server.clock.now() };
  return runConformance({ ...planted.target, ...changed }, { machine, ...options });
}

const idsOf = ({ checks: results }: ConformanceReport, outcome: string) =>
  results.filter((result) => result.outcome === outcome).map(({ id }) => id);

const reasonsOf = ({ checks: results }: ConformanceReport) =>
  new Set(results.filter(({ outcome }) => outcome === 'inconclusive').map(({ because }) => because));

const record = async (productId = 'coins'): Promise<string> =>
  (await recordTestPurchase(planted.server, planted.app, { productId })).purchaseId;

test('with credentials only, no check fails, and each reason names the missing option', async () => {
  for (let voids = 0; voids < 2; voids += 1) {
    await voidTestPurchase(planted.server, planted.app, await record());
  }
  const report = await runWith({}, { allowsChanges: true });
  expect(idsOf(report, 'fail')).toEqual([]);
  expect(report.counts.pass).toBeGreaterThan(50);
  expect([...reasonsOf(report)]).toEqual(
    expect.arrayContaining([
      'Needs --consumed-purchase, or --sandbox.',
      'Needs --expired-token-file, or --sandbox.',
      'Needs --other-environment-token-file.',
      'Needs --other-package and --other-purchase, or --operator-url.',
      'Needs --sandbox.',
      'Needs --subscription, or --sandbox.',
      'Needs --unconsumed-purchase with a second id, or --sandbox.',
      'Needs --unconsumed-purchase, or --sandbox.',
      'Needs --voided-purchase, or --sandbox.',
      'The same token is issued until it ends; --sandbox can end it early.',
    ]),
  );
});

test('without --allow-changes, no POST is sent for an existing purchase', async () => {
  const known = {
    unconsumedPurchase: [await record(), await record()],
    productId: 'coins',
    subscription: await record('monthly'),
  };
  const report = await runWith({ known });
  expect(idsOf(report, 'fail')).toEqual([]);
  const posted = planted.calls.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'));
  expect(new Set(posted.map(({ path }) => path.split('/')[4]))).toEqual(new Set(['NO-SUCH-PURCHASE----']));
  const changing = checks.filter(({ changes }) => changes).map(({ id }) => id);
  expect(idsOf(report, 'inconclusive')).toEqual(expect.arrayContaining(changing));
  expect([...reasonsOf(report)]).toContain('This check may change data and needs --allow-changes.');
});

test('with wrong credentials, no check that needs a token passes, and the first one reports the reason', async () => {
  const report = await runWith({ clientSecret: 'another-secret' }, { allowsChanges: true });
  expect(idsOf(report, 'fail')).toEqual(['token-01']);
  expect(idsOf(report, 'pass')).toEqual([]);
  expect(report.checks[1]?.because).toMatch(
    /^There is no token\. The response to POST \/v2\/oauth\/token was 400/,
  );
});
