// The chain of actions: what a change of the table by hand leads to.

import { checkActions } from '@opentill/contract/operator-api/checkActions.ts';
import { updateApp } from '@opentill/contract/operator-api/updateApp.ts';
import { expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import { newTestApp, recordKey, useTestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { listedActions } from './listed-actions.ts';

const server = await useTestServer();

/** createApp, two putProduct and two updateApp. */
async function createChangedApp(): Promise<string> {
  const { packageName } = await newTestApp(server);
  for (const name of ['A', 'B']) {
    await callOperator(server, updateApp, { path: { packageName }, body: { name, note: `name ${name}` } });
  }
  return packageName;
}

const check = async (packageName: string) =>
  (await callOperator(server, checkActions, { query: { packageName } })).body;

test('the chain of an unchanged app is intact, and its head is the hash of the last action', async () => {
  const packageName = await createChangedApp();
  const [last] = await listedActions(server, { packageName });
  expect(await check(packageName)).toEqual({ count: 5, head: last?.hash });
});

test.each([
  ['a changed note', 4, `update operator_action set note = 'x' where action_order = 4`],
  ['another author', 2, `update operator_action set made_by = 'operator:x' where action_order = 2`],
  ['a note where there was none', 1, `update operator_action set note = 'x' where action_order = 1`],
  ['another hash', 3, `update operator_action set hash = sha256('x') where action_order = 3`],
  ['a removed action', 3, 'delete from operator_action where action_order = 3'],
  ['a removed end', 5, 'delete from operator_action where action_order = 5'],
  [
    'a reason that no server writes',
    2,
    `update operator_action set reason_code = 'x' where action_order = 2`,
  ],
  ['a time beyond all clocks', 3, `update operator_action set made_at = 1e18 where action_order = 3`],
])('checkActions finds %s at order %i', async (_, firstBroken, statement) => {
  const packageName = await createChangedApp();
  await query(server.connection, `${statement} and package_name = '${packageName}'`);
  expect(await check(packageName)).toMatchObject({ count: 5, firstBroken });
});

test.each([
  ['before the first', 0],
  ['after the last', 6],
])('checkActions finds an action that was inserted %s one', async (_, order) => {
  const packageName = await createChangedApp();
  await query(
    server.connection,
    `insert into operator_action (package_name, action_order, made_at, operation_id, made_by, outcome, hash)
      select package_name, $2, made_at, 'voidPurchase', made_by, outcome, hash
      from operator_action where package_name = $1 and action_order = 5`,
    [packageName, order],
  );
  expect(await check(packageName)).toMatchObject({ count: 5, firstBroken: order });
});

test('checkActions finds a removed end whose counter was set back to an earlier action', async () => {
  const packageName = await createChangedApp();
  const [last] = await listedActions(server, { packageName });
  await query(
    server.connection,
    `delete from operator_action where package_name = '${packageName}' and action_order = 5`,
  );
  await query(
    server.connection,
    `update app_counter set action_order = 4 where package_name = '${packageName}'`,
  );
  expect(await check(packageName)).toEqual({ count: 4, head: last?.hash, firstBroken: 4 });
});

test('actions without an app have a chain of their own', async () => {
  await callOperator(server, updateApp, {
    path: { packageName: 'com.example.none' },
    body: {},
    key: recordKey,
  });
  expect((await callOperator(server, checkActions)).body).toEqual({
    count: 1,
    head: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test('concurrent calls of one app extend its chain one after another', async () => {
  const packageName = await createChangedApp();
  const path = { packageName };
  const bodies = Array.from({ length: 20 }, (_, index) => ({ name: `name ${index}` }));
  await Promise.all(bodies.map((body) => callOperator(server, updateApp, { path, body })));
  const { count, firstBroken } = await check(packageName);
  expect([count, firstBroken]).toEqual([25, undefined]);
});
