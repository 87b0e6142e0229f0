// The program from its first start to its end: the demo, a later start, and a stop that completes calls in flight.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkoutProgram } from '../../../../test/support/built-programs.ts';
import {
  findClusterFolder,
  findProcessesOf,
  makeScratch,
  type Scratch,
} from '../../../../test/support/embedded/scratch.ts';
import {
  databaseEnv,
  freshDatabase,
  issueToken,
  operate,
  useForFile,
} from '../../../../test/support/harness.ts';
import { outputOf } from '../../../../test/support/process-output.ts';
import { type OpentillProcess, startOpentill } from '../../../../test/support/start/opentill-process.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { readConfig } from '../../src/config/config.ts';
import { isRoot, rootHome } from '../../src/embedded/data-folder.ts';
import { isReplaceable } from '../../src/program/process-end.ts';
import { beginPost, isRefused } from './begun-call.ts';

/** The data folder of all tests without their own; it is new for the first test. */
const scratch = await useForFile(makeScratch());

const startIn = ({ dataFolder }: Scratch, env: Record<string, string> = {}, program?: string) =>
  startOpentill({
    env: { OPENTILL_DATA_DIR: dataFolder, ...env },
    args: ['--demo'],
    ...(program && { program }),
  });

/** As `npm start` does. */
const inCheckout = checkoutProgram('server');

/** The text of the welcome after a label. */
function shown({ output }: OpentillProcess, words: string): string {
  const value = new RegExp(`^ +${words} +(\\S+)$`, 'm').exec(output.stdout)?.[1];
  if (value === undefined) throw new Error(`It does not say "${words}": ${output.stdout}`);
  return value;
}

async function demoToken(server: OpentillProcess, publicUrl: string): Promise<string> {
  const client = { clientId: shown(server, 'client_id'), clientSecret: shown(server, 'client_secret') };
  return await issueToken({ publicUrl }, client);
}

async function stop(server: OpentillProcess, signal: NodeJS.Signals): Promise<number | null> {
  server.signal(signal);
  return await server.ended();
}

/** The output of a shell into which the lines are pasted, with the curl of the machine or its stand-in. */
async function paste(lines: string): Promise<{ code: number; stdout: string }> {
  const standIn = fileURLToPath(new URL('./curl-stand-in.ts', import.meta.url));
  const curl = `command -v curl >/dev/null || curl() { '${process.execPath}' '${standIn}' "$@"; }`;
  const shell = spawn('bash', [], { stdio: ['pipe', 'pipe', 'ignore'] });
  const output = outputOf(shell);
  shell.stdin.end(`${curl}\n${lines}`);
  const [code] = await once(shell, 'close');
  return { code, stdout: output.stdout };
}

test('a first start with the demo prints calls that work when pasted, and a later start finds everything again', async () => {
  // An empty setting counts as unset.
  await using first = startIn(scratch, { OPENTILL_ENVIRONMENT: '' }, inCheckout);
  const { publicUrl } = await first.ready();
  const [logged = '', lines = ''] = first.output.stdout.split(/OpenTill, sandbox(?:.|\n)*Try it:\n/);
  expect(JSON.parse(logged)).toMatchObject({ msg: 'Updated the schema' });
  const pasted = await paste(lines);
  expect(pasted.code).toBe(0);
  const responses = pasted.stdout.split('\n').filter((line) => line.startsWith('{'));
  expect(responses.map((line) => Object.keys(JSON.parse(line)).at(-1))).toEqual([
    'purchaseTime',
    'purchaseId',
    'purchaseState',
    'voidedPurchaseList',
    'nextPageToken',
  ]);
  expect(JSON.parse(responses[3] ?? '{}').voidedPurchaseList).toContainEqual(
    expect.objectContaining({ purchaseId: 'SANDBOX-DEMO-SWORD' }),
  );
  // Root finds its database by this line.
  expect(first.output.stdout.includes(`\n  database       ${rootHome}/`)).toBe(isRoot());
  const secrets = ['client_secret', 'operator key'].map((words) => shown(first, words));
  const token = await demoToken(first, publicUrl);
  expect(await stop(first, 'SIGTERM')).toBe(0);
  expect(first.output.stderr).toBe('');

  await using second = startIn(scratch);
  const again = await second.ready();
  expect(['client_secret', 'operator key'].map((words) => shown(second, words))).toEqual(secrets);
  // The signing key and the purchases are kept: a consumed purchase stays consumed.
  expect(await demoToken(second, again.publicUrl)).toBe(token);
  const repeated = await paste(lines.replaceAll(publicUrl, again.publicUrl));
  expect(repeated.stdout).toContain('"code":9201');
});

test('a first start with the demo stores its secrets in files readable only by their owner and never logs them', async () => {
  await using server = startIn(scratch);
  const { publicUrl } = await server.ready();
  await demoToken(server, publicUrl);
  for (const name of ['operator.key', 'token.keys', 'demo-client.secret', 'postgres.password']) {
    expect([name, (await stat(join(scratch.dataFolder, name))).mode & 0o777]).toEqual([name, 0o600]);
  }
  const clientSecret = shown(server, 'client_secret');
  expect(await stop(server, 'SIGINT')).toBe(0);
  const logged = server.output.stdout.split('\n').filter((line) => line.startsWith('{'));
  expect(logged.length).toBeGreaterThan(0);
  expect(logged.join()).not.toContain(clientSecret);
  expect(logged.map((line) => JSON.parse(line)).at(-1)).toMatchObject({
    operationId: 'getAccessToken',
    outcome: 'success',
  });
});

test('a start in production prints no key, creates no demo and serves no sandbox', async () => {
  await using other = await makeScratch();
  await using server = startIn(other, { OPENTILL_ENVIRONMENT: 'production' }, inCheckout);
  const { publicUrl } = await server.ready();
  expect(server.output.stdout).toContain('production environment');
  expect(server.output.stdout).not.toMatch(/operator key|client_secret|Try it/);
  expect((await fetch(`${publicUrl}/developer/v1/purchases`)).status).toBe(404);
  expect(await stop(server, 'SIGTERM')).toBe(0);
});

test('SIGINT lets calls in flight finish, exits with code 0 despite idle connections, and leaves no PostgreSQL process', async () => {
  await using server = startIn(scratch);
  const { publicUrl, operatorUrl } = await server.ready();
  const token = await demoToken(server, publicUrl);
  // fetch keeps its connections open, so they are idle when the signal arrives.
  await Promise.all(Array.from({ length: 20 }, () => demoToken(server, publicUrl)));
  await operate({ operatorUrl }, 'POST', '/apps/com.example.demo/purchases', {
    key: shown(server, 'operator key'),
    body: { productId: 'coins_100', purchaseId: 'SANDBOX-IN-FLIGHT' },
  });
  const cluster = await findClusterFolder(scratch.dataFolder);
  expect(findProcessesOf(cluster).length).toBeGreaterThan(0);

  const inFlight = await Promise.all(
    [
      '/manage-payment-status/SANDBOX-DEMO-MONTHLY/com.example.demo/cancel',
      '/consume/SANDBOX-IN-FLIGHT/com.example.demo',
    ].map((path) => beginPost(`${publicUrl}/v2/purchase${path}`, token)),
  );
  server.signal('SIGINT');
  await waitFor(() => isRefused(publicUrl), { what: 'a listener that takes nothing new' });
  expect((await fetch(`${operatorUrl}/health/ready`)).status).toBe(503);
  expect(await Promise.all(inFlight.map((call) => call.finish()))).toEqual([
    '200 {"responseCode":0,"purchaseId":"SANDBOX-DEMO-MONTHLY"}',
    '200 {"consumptionState":1,"purchaseId":"SANDBOX-IN-FLIGHT"}',
  ]);
  expect(await server.ended()).toBe(0);
  expect(findProcessesOf(cluster)).toEqual([]);
  expect(server.output.stderr).toBe('');
});

const replaceable = {
  OPENTILL_ENVIRONMENT: 'production',
  OPENTILL_TRUSTED_PROXIES: 'loopback',
  ...databaseEnv({ user: 'till', password: 'till', host: '127.0.0.1', port: 5432, database: 'till' }),
};

test('only a server of production behind a proxy, on a database that others share, drains', () => {
  const drains = (env: object) => isReplaceable(readConfig({ ...replaceable, ...env }));
  expect(drains({})).toBe(true);
  expect(drains({ OPENTILL_ENVIRONMENT: 'sandbox' })).toBe(false);
  expect(drains({ OPENTILL_TRUSTED_PROXIES: '' })).toBe(false);
  expect(drains({ DATABASE_URL: '', OPENTILL_OPERATOR_KEYS: '' })).toBe(false);
});

test('SIGTERM drains such a server, which a second signal ends at once, and SIGINT stops it without a drain', async () => {
  await using database = await freshDatabase();
  const env = { ...replaceable, ...databaseEnv(database.connection) };
  await using drained = startOpentill({ env });
  await using stopped = startOpentill({ env });
  await Promise.all([drained.ready(), stopped.ready()]);
  drained.signal('SIGTERM');
  const draining = '"msg":"draining: not ready, but calls are served"';
  await waitFor(() => drained.output.stdout.includes(draining), { what: 'a server that drains' });
  drained.signal('SIGINT');
  expect(await drained.ended()).toBe(null);
  expect(await stop(stopped, 'SIGINT')).toBe(0);
  expect(stopped.output.stdout).not.toContain(draining);
});
