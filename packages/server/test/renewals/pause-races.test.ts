// A pause between the moment in which a server finds a due subscription and the beginning of its charge.

import { pauseRenewals } from '@opentill/contract/operator-api/pauseRenewals.ts';
import { resumeRenewals } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { beginBatch } from '../../src/operations/subscriptions/renewal/renew-batch.ts';
import { settlingParts } from '../../src/operations/subscriptions/renewal/renewal-parts.ts';
import { noCrashPoints } from '../../src/runtime/crash-points.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { listDueRenewalsOfApp } from '../../src/store/subscriptions/due-renewals.ts';
import { useForFile } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { openDatabase } from '../store/open-database.ts';
import { openClockGuard } from '../test-clock.ts';
import { firstDue, graceMs, nextSubscription, startRenewalStage } from './renewal-stage.ts';

const stage = await useForFile(startRenewalStage());
const { server, app, clock } = stage;
const { packageName } = app;
const database = await useForFile(openDatabase(server.connection, 2));

test('a charge that was found due before a pause does not begin during the pause', async () => {
  await nextSubscription(stage);
  clock.set(firstDue);
  const due = await listDueRenewalsOfApp(database, {
    packageName,
    until: firstDue,
    unleasedAt: null,
    limit: 9,
  });
  expect(due).toHaveLength(1);
  const settling = settlingParts({
    database,
    environment: 'production',
    installationId: Buffer.alloc(16),
    graceMs,
    clocks: openClockGuard({ database, clock, environment: 'production' }),
    clock,
    randomness: secureRandomness,
    log: pino({ level: 'silent' }),
    crashPoints: noCrashPoints,
    onConflict: () => undefined,
  });
  const parts = { ...settling, gateway: { charge: () => expect.fail('nothing is charged') } };
  const batch = {
    packageName,
    author: { madeBy: 'test', requestId: 'r' },
    charging: new AbortController().signal,
  };
  await callOperator(server, pauseRenewals, { body: {} });
  expect(await beginBatch(parts, batch, due)).toEqual([]);
  await callOperator(server, resumeRenewals, { body: {} });
  expect(await beginBatch(parts, batch, due)).toMatchObject([{ kind: 'charge' }]);
});
