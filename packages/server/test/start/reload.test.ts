// What SIGHUP does to a server process: it reads the TLS files again, or stops a server that a person started.

import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { makeScratch } from '../../../../test/support/embedded/scratch.ts';
import { databaseEnv, freshDatabase, useForFile } from '../../../../test/support/harness.ts';
import { type OpentillProcess, startOpentill } from '../../../../test/support/start/opentill-process.ts';
import {
  secondCertificate,
  testCertificate,
  writeTlsFiles,
} from '../../../../test/support/start/test-certificate.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { isRefused } from './begun-call.ts';
import { startOnTerminal } from './terminal-process.ts';

/** Sends SIGHUP and returns the line that the server logs about it. */
async function reload(server: OpentillProcess): Promise<Record<string, unknown>> {
  const lines = () =>
    server.output.stdout
      .split('\n')
      .filter((line) => line.startsWith('{') && line.includes('TLS files'))
      .map((line) => JSON.parse(line));
  const before = lines().length;
  server.signal('SIGHUP');
  await waitFor(() => lines().length > before, { what: 'a line about the reload' });
  expect(lines()).toHaveLength(before + 1);
  return lines().at(-1);
}

/** The certificate that a listener sends for a new connection. */
function certificateOf(url: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, rejectUnauthorized: false }, (response) => {
      resolve((response.socket as TLSSocket).getPeerX509Certificate()?.toString());
      response.resume();
    });
    sent.on('error', reject);
    sent.end();
  });
}

const database = await useForFile(freshDatabase());
const env = databaseEnv(database.connection);

test('SIGHUP replaces the certificate of both listeners, or nothing if the files do not match', async () => {
  await using scratch = await makeScratch();
  const files = await writeTlsFiles(scratch.path);
  await using server = startOpentill({ env: { ...env, ...files } });
  const { publicUrl, operatorUrl } = await server.ready();
  const certificates = () => Promise.all([publicUrl, operatorUrl].map(certificateOf));
  expect(await certificates()).toEqual([testCertificate.cert, testCertificate.cert]);

  await writeTlsFiles(scratch.path, { cert: secondCertificate.cert, key: testCertificate.key });
  expect(await reload(server)).toMatchObject({
    level: 50,
    code: 'notReloaded',
    problem: expect.stringMatching(/^OPENTILL_TLS_CERT, OPENTILL_TLS_KEY: /),
  });
  expect(await certificates()).toEqual([testCertificate.cert, testCertificate.cert]);

  await writeTlsFiles(scratch.path, secondCertificate);
  expect(await reload(server)).toMatchObject({ level: 30, msg: 'reloaded the TLS files' });
  expect(await certificates()).toEqual([secondCertificate.cert, secondCertificate.cert]);
});

test('SIGHUP does not stop a server without TLS files', async () => {
  await using server = startOpentill({ env });
  const { operatorUrl } = await server.ready();
  expect(await reload(server)).toMatchObject({ msg: 'SIGHUP: there are no TLS files to reload' });
  expect((await fetch(`${operatorUrl}/health/ready`)).status).toBe(200);
});

test('a server on a terminal stops when the terminal is closed', async () => {
  await using own = startOnTerminal(env);
  const url = await own.publicUrl();
  own.hangUp();
  await waitFor(() => isRefused(url), { what: 'the end of the server' });
});
