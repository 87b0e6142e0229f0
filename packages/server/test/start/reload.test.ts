// What SIGHUP does to a server process: it reads files with secrets again, or stops a server that a person started.

import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect, inject, test } from 'vitest';
import { databaseUrlOf } from '../database-url.ts';
import { makeScratch, query } from '../embedded/scratch.ts';
import { call, databaseEnv, freshDatabase, operate, useForFile } from '../harness.ts';
import { newName } from '../test-databases.ts';
import { waitFor } from '../wait-for.ts';
import { isRefused } from './begun-call.ts';
import { type OpentillProcess, startOpentill } from './opentill-process.ts';
import { startOnTerminal } from './terminal-process.ts';
import { secondCertificate, testCertificate, writeTlsFiles } from './test-certificate.ts';

const reloaded = 'reloaded TLS files, secrets and keys';
const notReloaded = 'not reloaded: the previous TLS files, secrets and keys stay in use';

/** Sends SIGHUP and returns the line that the server logs about it. */
async function reload(server: OpentillProcess): Promise<Record<string, unknown>> {
  const lines = () =>
    server.output.stdout
      .split('\n')
      .filter((line) => line.startsWith('{') && line.includes('reloaded'))
      .map((line) => JSON.parse(line));
  const before = lines().length;
  server.signal('SIGHUP');
  await waitFor(() => lines().length > before, { what: 'a line about the reload' });
  expect(lines()).toHaveLength(before + 1);
  return lines().at(-1);
}

function callOverTls(
  url: string,
  { authorization, method = 'GET', body = '' }: { authorization?: string; method?: string; body?: string },
): Promise<{ status: number | undefined; text: string; certificate: string }> {
  const headers = {
    ...(authorization !== undefined && { authorization: `Bearer ${authorization}` }),
    'content-type': url.endsWith('/token') ? 'application/x-www-form-urlencoded' : 'application/json',
  };
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, rejectUnauthorized: false } as const;
    const sent = request(url, options, (response) => {
      const certificate = (response.socket as TLSSocket).getPeerX509Certificate()?.toString() ?? '';
      Array.fromAsync(response).then(
        (chunks) =>
          resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString(), certificate }),
        reject,
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const keyOf = (letter: string) => `${letter}-`.repeat(20);
const tokenKeyOf = (byte: number) => `1:${Buffer.alloc(32, byte).toString('base64url')}`;

const scratch = await useForFile(makeScratch());
const files = {
  ...(await writeTlsFiles(scratch.path)),
  OPENTILL_OPERATOR_KEYS_FILE: join(scratch.path, 'operator.keys'),
};
const inDataFolder = (name: string) => join(scratch.dataFolder, name);

async function writeFiles(certificate: { cert: string; key: string }, letters: string): Promise<void> {
  const [first = '', second = ''] = letters;
  await writeTlsFiles(scratch.path, certificate);
  await writeFile(files.OPENTILL_OPERATOR_KEYS_FILE, `ops:admin:${keyOf(first)}\n`);
  await writeFile(inDataFolder('operator.key'), keyOf(second), { mode: 0o600 });
  await writeFile(inDataFolder('token.keys'), tokenKeyOf(first.charCodeAt(0)), { mode: 0o600 });
}

await mkdir(scratch.dataFolder, { mode: 0o700 });
await writeFiles(testCertificate, 'ab');
const server = await useForFile(startOpentill({ env: { ...files, OPENTILL_DATA_DIR: scratch.dataFolder } }));
const { publicUrl, operatorUrl } = await server.ready();

const listApps = (authorization: string) => callOverTls(`${operatorUrl}/operator/v1/apps`, { authorization });
const statusesOf = (letters: string) =>
  Promise.all([...letters].map(async (letter) => (await listApps(keyOf(letter))).status));

async function newToken(): Promise<string> {
  const created = await callOverTls(`${operatorUrl}/operator/v1/apps`, {
    authorization: keyOf('a'),
    method: 'POST',
    body: '{"packageName":"com.example.game"}',
  });
  const { clientId, clientSecret } = JSON.parse(created.text);
  const body = `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`;
  const token = await callOverTls(`${publicUrl}/v2/oauth/token`, { method: 'POST', body });
  return JSON.parse(token.text).access_token;
}

test('SIGHUP replaces TLS files, secret files and the keys of the data folder, or nothing if one is invalid', async () => {
  const token = await newToken();
  const read = () =>
    callOverTls(`${publicUrl}/v2/purchase/voided-purchases/com.example.game`, { authorization: token });
  expect((await read()).status).toBe(200);
  expect(await statusesOf('abcd')).toEqual([200, 200, 401, 401]);

  await writeFiles({ cert: secondCertificate.cert, key: testCertificate.key }, 'cd');
  expect(await reload(server)).toMatchObject({
    level: 50,
    msg: notReloaded,
    problem: expect.stringMatching(/^OPENTILL_TLS_CERT, OPENTILL_TLS_KEY: /),
  });
  expect(await statusesOf('abcd')).toEqual([200, 200, 401, 401]);
  expect(await read()).toMatchObject({ status: 200, certificate: testCertificate.cert });

  await writeFiles(secondCertificate, 'cd');
  expect(await reload(server)).toMatchObject({ level: 30, msg: reloaded });
  expect(await statusesOf('abcd')).toEqual([401, 401, 200, 200]);
  expect(await read()).toMatchObject({ status: 401, certificate: secondCertificate.cert });
  const operator = await callOverTls(`${operatorUrl}/health/live`, {});
  expect(operator.certificate).toBe(secondCertificate.cert);
});

test('SIGHUP replaces the password of the database for new connections, but not the database', async () => {
  await using database = await freshDatabase();
  const user = newName();
  const postgres = inject('postgres');
  await query(postgres, `create role ${user} login superuser password 'first'`);
  await using owner = new AsyncDisposableStack();
  owner.defer(async () => void (await query(postgres, `drop role ${user}`)));
  const urlOf = (password: string) => databaseUrlOf({ ...database.connection, user, password });
  const DATABASE_URL_FILE = join(scratch.path, 'database.url');
  await writeFile(DATABASE_URL_FILE, urlOf('first'));
  const { DATABASE_URL: _, ...env } = databaseEnv(database.connection);
  const own = owner.use(startOpentill({ env: { ...env, DATABASE_URL_FILE } }));
  const address = await own.ready();
  const isReady = async () => (await call(`${address.operatorUrl}/health/ready`)).status === 200;

  await writeFile(DATABASE_URL_FILE, urlOf('first').replace(database.connection.database ?? '', 'another'));
  expect(await reload(own)).toMatchObject({
    problem: expect.stringMatching(/^DATABASE_URL: expected the same database/),
  });

  await query(postgres, `alter role ${user} password 'second'`);
  await query(postgres, `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${user}'`);
  await waitFor(async () => !(await isReady()), { what: 'a server without a database' });
  await writeFile(DATABASE_URL_FILE, urlOf('second'));
  expect(await reload(own)).toMatchObject({ msg: reloaded });
  await waitFor(isReady, { what: 'a server with its database' });
  expect((await operate(address, 'GET', '/apps')).status).toBe(200);
});

test('a server on a terminal stops when the terminal is closed', async () => {
  await using database = await freshDatabase();
  await using own = startOnTerminal(databaseEnv(database.connection));
  const url = await own.publicUrl();
  own.hangUp();
  await waitFor(() => isRefused(url), { what: 'the end of the server' });
});
