// Whatever a server does, a run ends in time with a report.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConformanceReport } from '../src/report/report.ts';
import { type ConformanceOptions, runConformance } from '../src/run-conformance.ts';
import { system } from '../src/runtime/system.ts';
import { type Fault, failed, type PlantedServer, type Seen, startPlantedServer } from './planted-server.ts';

let server: PlantedServer;
beforeAll(async () => {
  server = await startPlantedServer();
});
afterAll(() => server[Symbol.asyncDispose]());

function runAgainst(fault: Fault, options: ConformanceOptions = {}): Promise<ConformanceReport> {
  server.plant(fault);
  return runConformance(server.target, options);
}

const resultOf = ({ checks }: ConformanceReport, wanted: string) => checks.find(({ id }) => id === wanted);

const never = new Promise<undefined>(() => undefined);
const isUnknownRead = ({ path }: Seen) => path.includes('/details/');

test('a call that times out fails its check, and the next check runs', async () => {
  const report = await runAgainst((seen, answer) => (isUnknownRead(seen) ? never : answer(seen)), {
    callTimeoutMs: 3_000,
    only: ['details-06', 'error-04'],
  });
  expect(resultOf(report, 'details-06')).toMatchObject({
    outcome: 'fail',
    because: expect.stringMatching(
      /^GET \/v2\/purchase\/details\/\S+ got no response: timeout after 3000 ms\.$/,
    ),
  });
  expect(resultOf(report, 'error-04')).toMatchObject({ outcome: 'pass' });
});

test('after the timeout of the run, the remaining checks are inconclusive', async () => {
  const report = await runAgainst((seen, answer) => (isUnknownRead(seen) ? never : answer(seen)), {
    runTimeoutMs: 500,
    only: ['details-06', 'error'],
  });
  expect(report.checks).toHaveLength(7);
  for (const { outcome, because } of report.checks) {
    expect({ outcome, because }).toEqual({
      outcome: 'inconclusive',
      because: 'The run ended before this check.',
    });
  }
});

test('a signal ends the run with a report', async () => {
  const stop = new AbortController();
  const report = await runAgainst(
    (seen, answer) => {
      if (!isUnknownRead(seen)) return answer(seen);
      stop.abort();
      return never;
    },
    { signal: stop.signal, only: ['token', 'details'] },
  );
  expect(resultOf(report, 'token-08')).toMatchObject({ outcome: 'pass' });
  expect(resultOf(report, 'details-06')).toMatchObject({ outcome: 'inconclusive' });
});

test('without a server, no check is decided', async () => {
  const target = { ...server.target, origin: 'http://127.0.0.1:9' };
  const report = await runConformance(target, { allowsChanges: true });
  expect(report.counts).toEqual({ pass: 0, fail: 0, inconclusive: report.checks.length });
  expect(report.checks[0]?.because).toMatch(/^POST \/v2\/oauth\/token got no response: .*ECONNREFUSED/);
});

test('with an overloaded server, no check is decided, and a POST that may have succeeded is not retried', async () => {
  const waited: number[] = [];
  const machine = { ...system, pause: async (ms: number) => void waited.push(ms) };
  const busy = { ...failed(9999), status: 503, headers: { 'retry-after': '3600' } };
  const isBusy = ({ path }: Seen) => path.includes('/consume/') || path.includes('/details/');
  const report = await runAgainst((seen, answer) => (isBusy(seen) ? busy : answer(seen)), {
    machine,
    only: ['details-06', 'consume-01'],
  });
  expect(report.counts).toEqual({ pass: 0, fail: 0, inconclusive: 2 });
  expect(report.checks[0]?.because).toMatch(/^The response to .* was 503: the server is overloaded\.$/);
  expect(waited).toEqual([10_000, 10_000, 10_000]);
  expect(server.calls.filter(({ path }) => path.includes('/details/'))).toHaveLength(4);
  expect(server.calls.filter(({ path }) => path.includes('/consume/'))).toHaveLength(1);
});

test('a redirect is not followed, so that the token is not sent elsewhere', async () => {
  const elsewhere = { status: 307, headers: { location: `${server.origin}/elsewhere` }, body: {} };
  const report = await runAgainst(
    (seen, answer) => (seen.path.includes('voided') ? elsewhere : answer(seen)),
    { only: ['voided-01'] },
  );
  expect(report.counts.fail).toBe(1);
  expect(server.calls.map(({ path }) => path)).not.toContain('/elsewhere');
});
