// The dashboard for Grafana and the metrics that a server has.

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { call, useTestServer } from '../../../../test/support/harness.ts';

const file = new URL('../../../../packaging/monitoring/dashboard.json', import.meta.url);
const server = await useTestServer();

test('the dashboard shows each metric of OpenTill, and reads none that /metrics does not have', async () => {
  const { text } = await call(`${server.operatorUrl}/metrics`);
  const served = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
  const { panels } = JSON.parse(await readFile(file, 'utf8'));
  const queries: string[] = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  );
  const read = new Set(queries.flatMap((query) => query.match(/\b(?:opentill|nodejs|process)_\w+/g) ?? []));
  const metrics = [...read].map((name) => name.replace(/_bucket$/, ''));
  expect(served).toEqual(expect.arrayContaining(metrics));
  expect(metrics).toEqual(expect.arrayContaining(served.filter((name) => name.startsWith('opentill_'))));
});
