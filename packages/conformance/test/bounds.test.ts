// A run ends within its deadline with a report, whatever the server does; a restricted run does only its part.

import { expect, test } from 'vitest';
import { voidTestPurchase } from '../../../test/support/calls/purchase-changes.ts';
import { recordTestPurchase, useForFile } from '../../../test/support/harness.ts';
import { checks } from '../src/checks/checks.ts';
import type { ConformanceReport } from '../src/report/report.ts';
import { type ConformanceOptions, runConformance } from '../src/run-conformance.ts';
import { system } from '../src/runtime/system.ts';
import type { ConformanceTarget } from '../src/target.ts';
import { type Fault, failed, type Seen, startPlantedServer } from './planted-server.ts';

const server = await useForFile(startPlantedServer());

function runAgainst(fault: Fault, options: ConformanceOptions = {}): Promise<ConformanceReport> {
  server.plant(fault);
  return runConformance(server.target, options);
}

const resultOf = ({ checks }: ConformanceReport, wanted: string) => checks.find(({ id }) => id === wanted);

const never = new Promise<undefined>(() => undefined);
const isRead = ({ path }: Seen) => path.includes('/details/');
const silentOnReads: Fault = (seen, respond) => (isRead(seen) ? never : respond(seen));

test('a call that times out fails its check, and the next check runs', async () => {
  const options = { callTimeoutMs: 3_000, only: ['details-06', 'error-04'] };
  const report = await runAgainst(silentOnReads, options);
  const because = expect.stringMatching(/^GET \S+ got no response: timeout after 3000 ms\.$/);
  expect(resultOf(report, 'details-06')).toMatchObject({ outcome: 'fail', because });
  expect(resultOf(report, 'error-04')).toMatchObject({ outcome: 'pass' });
});

test('after the timeout of the run, the remaining checks are inconclusive', async () => {
  const report = await runAgainst(silentOnReads, { runTimeoutMs: 500, only: ['details-06', 'error'] });
  expect(report.counts).toEqual({ pass: 0, fail: 0, inconclusive: 7 });
  expect(reasonsOf(report)).toEqual(['The run ended before this check.']);
});

test('a signal ends the run with a report', async () => {
  const stop = new AbortController();
  const report = await runAgainst(
    (seen, respond) => {
      if (!isRead(seen)) return respond(seen);
      stop.abort();
      return never;
    },
    { signal: stop.signal, only: ['token', 'details'] },
  );
  expect(resultOf(report, 'token-08')).toMatchObject({ outcome: 'pass' });
  expect(resultOf(report, 'details-06')).toMatchObject({ outcome: 'inconclusive' });
});

test('with an overloaded server, no check is decided, and a POST that may have succeeded is not retried', async () => {
  const waited: number[] = [];
  const machine = { ...system, pause: async (ms: number) => void waited.push(ms) };
  const busy = { ...failed(9999), status: 503, headers: { 'retry-after': '3600' } };
  const isBusy = (seen: Seen) => seen.path.includes('/consume/') || isRead(seen);
  const report = await runAgainst((seen, respond) => (isBusy(seen) ? busy : respond(seen)), {
    machine,
    only: ['details-06', 'consume-01'],
  });
  expect(report.counts).toEqual({ pass: 0, fail: 0, inconclusive: 2 });
  expect(report.checks[0]?.because).toMatch(/^The response to .* was 503: the server is overloaded\.$/);
  expect(waited).toEqual([10_000, 10_000, 10_000]);
  expect(server.calls.filter(isRead)).toHaveLength(4);
  expect(server.calls.filter(({ path }) => path.includes('/consume/'))).toHaveLength(1);
});

test('a redirect is not followed, so that the token is not sent elsewhere', async () => {
  const elsewhere = { status: 307, headers: { location: `${server.origin}/elsewhere` }, body: {} };
  const report = await runAgainst(
    (seen, respond) => (seen.path.includes('voided') ? elsewhere : respond(seen)),
    { only: ['voided-01'] },
  );
  expect(report.counts.fail).toBe(1);
  expect(server.calls.map(({ path }) => path)).not.toContain('/elsewhere');
});

function runWith(
  changed: Partial<ConformanceTarget>,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  server.plant();
  const machine = { ...system, now: () => server.server.clock.now() };
  return runConformance({ ...server.target, ...changed }, { machine, ...options });
}

const idsOf = ({ checks: results }: ConformanceReport, outcome: string) =>
  results.filter((result) => result.outcome === outcome).map(({ id }) => id);

const reasonsOf = ({ checks: results }: ConformanceReport) => [
  ...new Set(results.filter(({ outcome }) => outcome === 'inconclusive').map(({ because }) => because)),
];

const record = async (productId = 'coins'): Promise<string> =>
  (await recordTestPurchase(server.server, server.app, { productId })).purchaseId;

test('with credentials only, no check fails, and the reasons name the missing options', async () => {
  for (const _ of [1, 2]) await voidTestPurchase(server.server, server.app, await record());
  const report = await runWith({}, { allowsChanges: true });
  expect(idsOf(report, 'fail')).toEqual([]);
  expect(report.counts.pass).toBeGreaterThan(50);
  expect(reasonsOf(report)).toContain('Needs --other-package and --other-purchase, or --operator-url.');
  expect(reasonsOf(report).filter((reason) => /^Needs --/.test(reason ?? '')).length).toBeGreaterThan(7);
});

test('without --allow-changes, no POST is sent for an existing purchase', async () => {
  const known = {
    unconsumedPurchase: [await record(), await record()],
    productId: 'coins',
    subscription: await record('monthly'),
  };
  const report = await runWith({ known });
  expect(idsOf(report, 'fail')).toEqual([]);
  const posted = server.calls.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'));
  expect(new Set(posted.map(({ path }) => path.split('/')[4]))).toEqual(new Set(['NO-SUCH-PURCHASE----']));
  const changing = checks.filter(({ changes }) => changes).map(({ id }) => id);
  expect(idsOf(report, 'inconclusive')).toEqual(expect.arrayContaining(changing));
  expect(reasonsOf(report)).toContain('This check may change data and needs --allow-changes.');
});

test('with wrong credentials, no check that needs a token passes, and the first one reports the reason', async () => {
  const report = await runWith({ clientSecret: 'another-secret' }, { allowsChanges: true });
  expect(idsOf(report, 'fail')).toEqual(['token-01']);
  expect(idsOf(report, 'pass')).toEqual([]);
  expect(report.checks[1]?.because).toMatch(
    /^There is no token\. The response to POST \/v2\/oauth\/token was 400/,
  );
});
