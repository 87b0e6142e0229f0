// Faults on charges, which determine the outcomes of the simulated payment gateway.

import { expect, test } from 'vitest';
import { createTestApp, testNow, useForFile, useTestServer } from '../../../../test/support/harness.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import type { ChargeRequest } from '../../src/charging/gateways/payment-gateway.ts';
import { simulatedGateway } from '../../src/charging/gateways/simulated-gateway.ts';
import { chargeFaultMatcher, faultMatcher } from '../../src/store/sandbox/faults.ts';
import { sandboxStateReader } from '../../src/store/sandbox/sandbox-state.ts';
import { faultsResponse, putTestFaults } from './sandbox-stage.ts';

const charge: Omit<ChargeRequest, 'packageName'> = {
  idempotencyKey: 'S-1/1/1',
  productId: 'monthly',
  firstPurchaseId: 'S-1',
  buyerId: null,
  developerPayload: '',
  period: 'P1M',
  periodIndex: 1,
  attempt: 1,
  price: 499,
  currency: 'EUR',
  startTime: testNow,
};

const server = await useTestServer();
const app = await createTestApp(server);
const { packageName } = app;
const database = await useForFile(openDatabase(server.connection, 3));
const take = chargeFaultMatcher(sandboxStateReader(database), faultMatcher(database));

test('a fault that names a subscription applies to the charges of that subscription alone', async () => {
  await putTestFaults(server, app, [
    { operation: 'charge', outcome: 'declined', firstPurchaseId: 'S-1', times: 1 },
    { operation: 'charge', outcome: 'pending', firstPurchaseId: 'S-2' },
  ]);
  const taken = [];
  for (const firstPurchaseId of ['S-3', 'S-2', 'S-1', 'S-1'])
    taken.push(await take({ packageName, firstPurchaseId }));
  expect(taken).toEqual([undefined, 'pending', 'declined', undefined]);
  expect((await faultsResponse(server, app)).map(({ applied }) => applied)).toEqual([1, 1]);
});

test('the simulated gateway follows the faults and otherwise approves', async () => {
  const faults = ['noAnswer', 'pending', 'declined', 'declinedFinal'] as const;
  await putTestFaults(
    server,
    app,
    faults.map((outcome) => ({ operation: 'charge', outcome, times: 1 })),
  );
  const gateway = simulatedGateway(take);
  const outcomes: string[] = [];
  for (const _ of [...faults, 'none']) {
    outcomes.push((await gateway.charge({ ...charge, packageName })).outcome);
  }
  expect(outcomes).toEqual(['unknown', 'pending', 'declined', 'declinedFinal', 'paid']);
});

test('a charge based on a replaced list of faults counts nothing in the new list', async () => {
  const readState = sandboxStateReader(database);
  await putTestFaults(server, app, [{ operation: 'charge', outcome: 'declined', times: 1 }]);
  const { faults } = await readState(packageName);
  await putTestFaults(server, app, [{ operation: 'charge', outcome: 'pending', times: 1 }]);
  expect(await faultMatcher(database)(packageName, faults, 'charge')).toBeUndefined();
  expect((await faultsResponse(server, app))[0]?.applied).toBe(0);
});

test('a charge is not approved while the faults cannot be read', async () => {
  const away = openDatabase(server.connection, 1);
  await away[Symbol.asyncDispose]();
  const gateway = simulatedGateway(chargeFaultMatcher(sandboxStateReader(away), faultMatcher(away)));
  expect((await gateway.charge({ ...charge, packageName })).outcome).toBe('unknown');
});
