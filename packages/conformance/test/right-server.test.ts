import { expect, test } from 'vitest';
import { textReport } from '../src/report/text.ts';
import { runConformance } from '../src/run-conformance.ts';
import { startReferenceServer, targetOf } from './reference-server/reference-server.ts';

test('x', async () => {
  await using server = await startReferenceServer();
  const till = server.plant();
  const { otherApp, otherEnvironmentToken } = till.seeded;
  const report = await runConformance(
    { ...targetOf(server), known: { otherApp, otherEnvironmentToken } },
    { usesSandbox: true, allowsChanges: true, machine: { now: () => Date.now(), pause: async () => {} } },
  );
  console.log(textReport(report));
  console.log(server.calls.length);
  expect(report.counts.fail).toBe(0);
});
