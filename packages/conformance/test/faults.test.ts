// Each planted fault is found by exactly the checks for it, and each check finds a fault.

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

async function runAgainst(fault: Fault, only: readonly Group[]): Promise<ConformanceReport> {
  const { otherApp, otherEnvironmentToken } = server.plant(fault).seeded;
  const target = { ...targetOf(server), known: { otherApp, otherEnvironmentToken } };
  return runConformance(target, { usesSandbox: true, allowsChanges: true, only });
}

// Other groups are omitted, because they would take as long as all tests of the server.
test.each(plantedFaults)('the checks find a server where $name', async ({ fault, finds }) => {
  const near = groups.filter((group) => finds.some((id) => id.startsWith(group)));
  const report = await runAgainst(fault, near);
  expect(report.checks.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)).toEqual(finds);
});

test('each check finds at least one fault', () => {
  const found = new Set(plantedFaults.flatMap(({ finds }) => finds));
  expect(checks.map(({ id }) => id).filter((id) => !found.has(id))).toEqual([]);
});
