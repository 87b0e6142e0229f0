// Commands with the credentials of an app, which call the developer API, and what decides between the two APIs.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listedActions } from '../../../test/support/calls/listed-actions.ts';
import {
  adminKey,
  newTestApp,
  operatorOf,
  recordTestPurchase,
  type TestApp,
  type TestServer,
  useTestServer,
} from '../../../test/support/harness.ts';
import { productionEnv } from '../../../test/support/http/developer-stage.ts';
import { opentillHere, serverEnv } from '../../../test/support/start/program-process.ts';

const production = await useTestServer({ env: productionEnv });
const sandbox = await useTestServer();

const appEnv = ({ publicUrl }: TestServer, { clientId, clientSecret }: TestApp) => ({
  STORE_URL: publicUrl,
  CLIENT_ID: clientId,
  CLIENT_SECRET: clientSecret,
});

const run = (line: string, env: Readonly<Record<string, string>>) => opentillHere(line.split(' '), { env });

/** What a command writes to standard error when it is rejected with this exit code. */
async function rejected(line: string, env: Readonly<Record<string, string>>, exitCode = 2): Promise<string> {
  const { code, stdout, stderr } = await run(line, env);
  expect([code, stdout], stderr).toEqual([exitCode, '']);
  return stderr;
}

test('with the credentials of an app, the commands of the store do the same for this app alone', async () => {
  const [app, other] = [await newTestApp(production), await newTestApp(production)];
  const { packageName } = app;
  const { purchaseId } = await recordTestPurchase(production, app, {
    purchaseId: 'P-1',
    buyerId: 'hidden-buyer',
  });
  const env = appEnv(production, app);
  const json = async (line: string) => JSON.parse((await run(`${line} --json`, env)).stdout);
  const url = 'https://hooks.example/opentill';
  expect(await json(`webhook set ${packageName} ${url}`)).toMatchObject({ url });
  expect(await listedActions(production, { packageName, by: 'app' })).toMatchObject([
    { operationId: 'putWebhook', madeBy: 'app' },
  ]);
  expect(await json('purchase list')).toMatchObject([{ purchaseId }]);
  const shown = await run(`purchase show ${packageName} ${purchaseId}`, env);
  expect(shown.stdout).toMatch(/purchase\.completed +store/);
  expect(shown.stdout).not.toContain('hidden-buyer');
  const foreign = await rejected(`webhook set ${other.packageName} ${url}`, env);
  expect(foreign).toBe(`Expected ${packageName}, which is the app of CLIENT_ID, got ${other.packageName}.\n`);
  const { clientSecret } = await json(`app rotate-secret ${packageName} --keep-previous-for 0`);
  const listing = await run(`webhook deliveries ${packageName}`, { ...env, CLIENT_SECRET: clientSecret });
  expect([listing.code, listing.stderr]).toEqual([0, 'None.\n']);
});

test('commands that only a sandbox or an operator has are refused in production, in one line', async () => {
  const app = await newTestApp(production);
  const { packageName } = app;
  for (const line of [`clock advance ${packageName} --by P1M`, `purchase void ${packageName} P-1`]) {
    const refused = await rejected(line, appEnv(production, app), 1);
    expect(refused).toMatch(
      /^\w+: the developer API of this store does not have it: .* or is not a sandbox \(request /,
    );
  }
  const none = await rejected('app list', { ...appEnv(production, app), OPENTILL_DATA_DIR: tmpdir() });
  expect(none).toMatch(/^No operator key: /);
});

test('in the sandbox, the credentials of an app record purchases and inject faults', async () => {
  const app = await newTestApp(sandbox);
  await operatorOf(sandbox).putProduct({
    ...{ packageName: app.packageName, productId: 'sword', type: 'oneTime' },
    ...{ price: 5, currency: 'EUR' },
  });
  const env = appEnv(sandbox, app);
  const recorded = await run(`purchase record ${app.packageName} sword`, env);
  expect([recorded.code, recorded.stderr]).toEqual([0, '']);
  const faults = await run(`fault put ${app.packageName} --operation consumePurchase --code 9202`, env);
  expect(faults.stdout).toMatch(/consumePurchase +code 9202/);
});

test('with the credentials of an app and an operator, a command refuses and names both', async () => {
  const app = await newTestApp(sandbox);
  const line = `purchase list ${app.packageName}`;
  const own = appEnv(sandbox, app);
  const { OPENTILL_OPERATOR_PORT = '' } = serverEnv(sandbox);
  const expected = (names: string) =>
    `Expected the credentials of an app or those of an operator, got both: ${names}.\n`;
  const both = await rejected(line, { ...own, OPENTILL_OPERATOR_KEY: adminKey, OPENTILL_OPERATOR_PORT });
  expect(both).toBe(expected('CLIENT_ID, CLIENT_SECRET and OPENTILL_OPERATOR_KEY'));
  const half = { CLIENT_SECRET: '', OPENTILL_OPERATOR_KEY_FILE: '/operator.key' };
  expect(await rejected(line, half)).toBe(expected('CLIENT_SECRET and OPENTILL_OPERATOR_KEY_FILE'));
  const flagged = await rejected(`${line} --data-dir /store`, own);
  expect(flagged).toBe(expected('CLIENT_ID, CLIENT_SECRET and --data-dir'));
  const operatorOnly = await run('app list', {
    ...own,
    OPENTILL_OPERATOR_KEY: adminKey,
    OPENTILL_OPERATOR_PORT,
  });
  expect(operatorOnly.code, operatorOnly.stderr).toBe(0);
});

test('an empty credential or address is refused, and no default takes its place', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-test-'));
  await writeFile(join(folder, 'operator.key'), adminKey);
  const app = await newTestApp(sandbox);
  const { OPENTILL_OPERATOR_PORT = '' } = serverEnv(sandbox);
  const local = { OPENTILL_OPERATOR_PORT, OPENTILL_DATA_DIR: folder };
  const own = { ...appEnv(sandbox, app), OPENTILL_DATA_DIR: folder };
  const line = `product list ${app.packageName}`;
  expect((await run(line, local)).code).toBe(0);
  const empty = (name: string) => `${name}: expected a value, got an empty one: set or unset it.\n`;
  for (const name of ['OPENTILL_OPERATOR_KEY', 'OPENTILL_OPERATOR_KEY_FILE', 'OPENTILL_OPERATOR_URL'])
    expect(await rejected(line, { ...local, [name]: '' })).toBe(empty(name));
  for (const name of ['STORE_URL', 'CLIENT_ID', 'CLIENT_SECRET'])
    expect(await rejected(line, { ...own, [name]: '' })).toBe(empty(name));
  const { CLIENT_SECRET: _, ...withoutSecret } = own;
  const missing = 'CLIENT_SECRET: expected the credentials of an app, got none.\n';
  expect(await rejected(line, withoutSecret)).toBe(missing);
  const listen = { LISTEN_CLIENT_SECRET: '', OPENTILL_DATA_DIR: folder };
  const listening = 'listen --forward-to http://127.0.0.1:9000/hook';
  expect(await rejected(listening, listen)).toBe(empty('LISTEN_CLIENT_SECRET'));
  await rm(folder, { recursive: true });
});
