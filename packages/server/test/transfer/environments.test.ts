// Imports from another environment or installation.

import { describe, expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  freshDatabase,
  recordTestPurchase,
  requestToken,
  startTestServer,
} from '../../../../test/support/harness.ts';
import {
  appLine,
  exportText,
  header,
  productLine,
  purchaseLine,
} from '../../../../test/support/transfer/lines.ts';
import { exported, imported, refusal } from '../../../../test/support/transfer/transfer.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';

const time = 1_790_000_000_000;

describe('imports into another environment', () => {
  test('production imports the apps and products of a sandbox with new secrets, and nothing else', async () => {
    await using production = await freshDatabase();
    const tokens = { tokenGeneration: 3, issuedKeyId: 1, issuedGeneration: 3, issuedAtSeconds: 5 };
    const lines = [
      appLine('com.a', 1, { ...tokens, eventOrder: 9, name: 'A' }),
      productLine('com.a', 'coins'),
      purchaseLine('com.a', 'SANDBOX-1'),
      { kind: 'clock', packageName: 'com.a', mode: 'frozen', rate: 1, realTime: time, appTime: time },
    ];
    const head = { ...header, installationId: 'ab'.repeat(16) };
    const into = { environment: 'production', fromEnvironment: 'sandbox' } as const;
    const report = await imported(production.connection, exportText(lines, head), into);
    expect(report).toEqual({ imported: { app: 1, product: 1 }, leftOut: 2 });
    // The installation keeps its id.
    const own = { ...header, environment: 'production', installationId: '07'.repeat(16) };
    const app = appLine('com.a', 1, { name: 'A', clientSecretHash: '07'.repeat(32) });
    const found = (await exported(production.connection)).trimEnd().split('\n');
    const expected = [own, app, productLine('com.a', 'coins'), { kind: 'end', lines: 2 }];
    expect(found.map((line) => JSON.parse(line))).toEqual(expected);
  });

  test('production rejects a test purchase in an export of production', async () => {
    await using production = await freshDatabase();
    const lines = [appLine('com.a', 1), productLine('com.a', 'coins'), purchaseLine('com.a', 'SANDBOX-1')];
    const into = { environment: 'production', fromEnvironment: 'production' } as const;
    const text = exportText(lines, { ...header, environment: 'production' });
    expect(await refusal(production.connection, text, into)).toBe(
      'Nothing was imported. Line 4: purchaseId: expected an id that does not start with SANDBOX',
    );
  });
});

test('an installation adopts the id of the exported one while it has no app, and keeps its own afterwards', async () => {
  await using empty = await freshDatabase();
  const named = (id: string) => ({ ...header, installationId: id.repeat(16) });
  const installationOf = async () => /"installationId":"(\w\w)/.exec(await exported(empty.connection))?.[1];
  await imported(empty.connection, exportText([]));
  expect(await installationOf()).toBe('07');
  await imported(empty.connection, exportText([appLine('com.a', 1)], named('aa')));
  expect(await installationOf()).toBe('aa');
  await imported(empty.connection, exportText([appLine('com.b', 2)], named('bb')));
  expect(await installationOf()).toBe('aa');
});

test('a copy with a new installation id rejects the tokens of the original and issues its own', async () => {
  await using original = await startTestServer();
  const app = await createTestApp(original);
  const { purchaseId } = await recordTestPurchase(original, app);
  await using copied = await freshDatabase();
  const text = await exported(original.connection);
  await imported(copied.connection, text, { isNewInstallation: true, randomness: secureRandomness });

  await using copy = await startTestServer({ database: copied });
  const path = `/details/${purchaseId}/${app.packageName}`;
  expect((await callPurchaseApi(copy, { token: app.token, path })).status).toBe(401);
  const token = (await requestToken(copy, app)).body.access_token;
  expect((await callPurchaseApi(copy, { token, path })).status).toBe(200);
  expect((await callPurchaseApi(original, { token, path })).status).toBe(401);

  const again = await refusal(copied.connection, text, { isNewInstallation: true });
  expect(again).toBe('--new-installation: expected a database without apps.');
});
