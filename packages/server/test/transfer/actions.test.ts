// The audit trail of an exported and of an imported store.

import { getPurchase } from '@opentill/contract/operator-api/getPurchase.ts';
import { updateApp } from '@opentill/contract/operator-api/updateApp.ts';
import { beforeAll, expect, test } from 'vitest';
import { listedActions } from '../audit/listed-actions.ts';
import { createTestApp, recordTestPurchase, startTestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { exported, imported } from './transfer.ts';

const packageName = 'com.example.moved';
const path = { packageName, purchaseId: 'p' };

/** The export of an app. */
let text: string;

beforeAll(async () => {
  await using server = await startTestServer();
  const app = await createTestApp(server, packageName);
  await recordTestPurchase(server, app, { purchaseId: 'p' });
  text = await exported(server.connection);
});

test('an import keeps the authors of the file and marks the history as imported', async () => {
  await using server = await startTestServer();
  await imported(server.connection, text);
  const actions = await listedActions(server, { packageName });
  expect(actions).toHaveLength(3);
  for (const action of actions) expect(action).toMatchObject({ madeBy: 'operator:admin', isImported: true });
  const { body } = await callOperator(server, getPurchase, { path });
  const made = { madeBy: 'operator:admin', isImported: true };
  expect(body).toMatchObject({ recordedBy: 'operator:admin', isImported: true, history: [made] });
  await callOperator(server, updateApp, { path, body: { name: 'Here' } });
  const [own] = await listedActions(server, { packageName });
  expect(own).not.toHaveProperty('isImported');
  expect(own?.order).toBe(4);
});
