// Imports of new apps into an empty store and into one in use; each changes all or nothing.

import { getPurchase } from '@opentill/contract/operator-api/getPurchase.ts';
import { updateApp } from '@opentill/contract/operator-api/updateApp.ts';
import { expect, test } from 'vitest';
import { listedActions } from '../../../../test/support/calls/listed-actions.ts';
import {
  createTestApp,
  freshDatabase,
  operate,
  recordTestPurchase,
  startTestServer,
  useForFile,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import {
  appLine,
  exportText,
  type Line,
  monthlyLine,
  productLine,
  purchaseLine,
} from '../../../../test/support/transfer/lines.ts';
import {
  exported,
  exportedWithAllActions,
  imported,
  refusal,
  testAuthor,
} from '../../../../test/support/transfer/transfer.ts';

const server = await useForFile(startTestServer({ clock: new TestClock(testAuthor.time) }));
const { connection } = server;
const importInto = (text: string | Buffer) => imported(connection, text);

let apps = 0;
/** A new app with two products: three lines. */
function nextApp(): { readonly packageName: string; readonly basis: readonly Line[] } {
  apps += 1;
  const packageName = `com.example.import${apps}`;
  const monthly = monthlyLine(packageName);
  return { packageName, basis: [appLine(packageName, apps), productLine(packageName, 'coins'), monthly] };
}

const purchasesOf = (packageName: string, count: number) =>
  Array.from({ length: count }, (_, index) => purchaseLine(packageName, `p-${index}`));

/** A text in two pieces, with an action between them. */
async function* inTwo(text: string, happens: () => unknown): AsyncGenerator<Buffer> {
  const middle = text.length / 2;
  yield Buffer.from(text.slice(0, middle));
  await happens();
  yield Buffer.from(text.slice(middle));
}

test('during an import the apps of the store are in use, and the new app is unknown until the end', async () => {
  const app = await createTestApp(server);
  const { packageName, basis } = nextApp();
  const statusOfNewApp = async () => (await operate(server, 'GET', `/apps/${packageName}`)).status;
  const input = inTwo(exportText([...basis, ...purchasesOf(packageName, 6_000)]), async () => {
    await recordTestPurchase(server, app, { purchaseId: 'concurrent' });
    await createTestApp(server, 'com.example.concurrent');
    expect(await statusOfNewApp()).toBe(404);
  });
  await imported(connection, '', { input });
  expect(await statusOfNewApp()).toBe(200);
  await recordTestPurchase(server, { packageName }, { purchaseId: 'afterwards' });
});

test('a repeated import, or one with an app that the store has, changes nothing and names the app', async () => {
  const { packageName, basis } = nextApp();
  const text = exportText([...basis, ...purchasesOf(packageName, 120)]);
  expect(await importInto(text)).toEqual({ imported: { app: 1, product: 2, purchase: 120 }, leftOut: 0 });
  const before = await exported(connection);
  for (const again of [text, exportText([...nextApp().basis, ...basis])]) {
    expect(await refusal(connection, again)).toMatch(
      `packageName: expected an app that the store does not have, got ${packageName}, which it has`,
    );
  }
  expect(await exported(connection)).toBe(before);
});

test('what belongs to no app is imported into an empty store, and otherwise left out and counted', async () => {
  await using first = await startTestServer();
  await operate(first, 'POST', '/renewals/pause', { body: {} });
  const text = await exportedWithAllActions(first.connection);
  await using empty = await startTestServer();
  expect(await imported(empty.connection, text)).toEqual({
    imported: { renewalPause: 1, action: 1 },
    leftOut: 0,
  });
  expect((await operate(empty, 'GET', '/renewals')).body).toMatchObject({ paused: true });
  expect(await importInto(text)).toEqual({ imported: {}, leftOut: 2 });
});

test('an import whose connection is lost writes nothing and can be repeated', async () => {
  await using own = await freshDatabase();
  await imported(own.connection, exportText([]));
  const endConnections = () =>
    query(
      own.connection,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  const { packageName, basis } = nextApp();
  const text = exportText([...basis, ...purchasesOf(packageName, 12_000)]);
  const before = await exported(own.connection);
  await expect(imported(own.connection, '', { input: inTwo(text, endConnections) })).rejects.toMatchObject({
    name: 'DatabaseUnavailable',
  });
  expect(await exported(own.connection)).toBe(before);
  expect((await imported(own.connection, text)).imported).toEqual({ app: 1, product: 2, purchase: 12_000 });
});

test('an import keeps the authors of the file and marks the history as imported', async () => {
  const path = { packageName: 'com.example.moved', purchaseId: 'p' };
  await using from = await startTestServer();
  await recordTestPurchase(from, await createTestApp(from, path.packageName), { purchaseId: 'p' });
  await using into = await startTestServer();
  await imported(into.connection, await exported(from.connection));
  const madeBy = 'operator:admin';
  const actions = await listedActions(into, { packageName: path.packageName });
  expect(actions.map((action) => [action.madeBy, action.isImported])).toEqual(Array(3).fill([madeBy, true]));
  const { body } = await callOperator(into, getPurchase, { path });
  expect(body).toMatchObject({
    recordedBy: madeBy,
    isImported: true,
    history: [{ madeBy, isImported: true }],
  });
  await callOperator(into, updateApp, { path, body: { name: 'Here' } });
  const [own] = await listedActions(into, { packageName: path.packageName });
  expect(own).not.toHaveProperty('isImported');
  expect(own?.order).toBe(4);
});
