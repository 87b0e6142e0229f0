// Each planted fault is found by the checks that are about it, and by no others; and each check finds a fault.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Group, groups } from '../src/check.ts';
import { checks } from '../src/checks/checks.ts';
import type { ConformanceReport } from '../src/report/report.ts';
import { runConformance } from '../src/run-conformance.ts';
import { plantedFaults } from './planted-faults/planted-faults.ts';
import type { Fault } from './reference-server/reference-server.ts';
import { type ReferenceServer, startReferenceServer, targetOf } from './reference-server/reference-server.ts';

let server: ReferenceServer;
beforeAll(async () => {
  server = await startReferenceServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function runAgainst(fault?: Fault, only?: readonly Group[]): Promise<ConformanceReport> {
  const { otherApp, otherEnvironmentToken } = server.plant(fault).seeded;
  const target = { ...targetOf(server), known: { otherApp, otherEnvironmentToken } };
  return runConformance(target, { usesSandbox: true, allowsChanges: true, ...(only && { only }) });
}

test('the server without a fault passes every check', async () => {
  const report = await runAgainst();
  expect(report.checks.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
  expect(report.checks.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
});

// The other groups are left out: with them the tests would take as long as all those of the server.
test.each(plantedFaults)('$name', async ({ fault, finds }) => {
  const near = groups.filter((group) => finds.some((id) => id.startsWith(group)));
  const report = await runAgainst(fault, near);
  expect(report.checks.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)).toEqual(finds);
});

test('each check finds a fault', () => {
  const found = new Set(plantedFaults.flatMap(({ finds }) => finds));
  expect(checks.map(({ id }) => id).filter((id) => !found.has(id))).toEqual([]);
});
