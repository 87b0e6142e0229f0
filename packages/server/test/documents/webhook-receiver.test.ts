// Runs the example receivers of docs/webhooks.md unchanged.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, test } from 'vitest';
import { codeBlocksOf } from '../../../../test/support/documents/code-blocks.ts';
import { freePort } from '../../../../test/support/documents/free-port.ts';
import { call } from '../../../../test/support/harness.ts';
import { outputOf } from '../../../../test/support/process-output.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';

const page = await readFile(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
const blocks = codeBlocksOf(page);
const secret = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;

const folder = await mkdtemp(join(tmpdir(), 'opentill-receiver-'));
await symlink(
  fileURLToPath(new URL('../../../../node_modules', import.meta.url)),
  join(folder, 'node_modules'),
);
afterAll(() => rm(folder, { recursive: true }));

/** Writes the first block of js with this file name to a file. */
async function written(fileName: string | undefined): Promise<string> {
  const block = blocks.find((one) => one.fileName === fileName && one.language === 'js');
  const file = join(folder, fileName ?? 'receiver.mjs');
  await writeFile(file, block?.code ?? '');
  return file;
}

function signedHeaders(id: string, signed: string): Record<string, string> {
  const now = new Date();
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, now, signed),
  };
}

async function startReceiver(fileName?: string) {
  const file = await written(fileName);
  const port = await freePort();
  const env = { PORT: String(port), SECRET: secret };
  const receiver = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const url = `http://127.0.0.1:${port}/hooks`;
  /** Posts `body` with the signature of `signed`, and returns the status. */
  const post = async (id: string, body: string, signed = body) =>
    (await call(url, { method: 'POST', headers: signedHeaders(id, signed), body })).status;
  const stop = async () => {
    const end = once(receiver, 'close');
    receiver.kill();
    await end;
  };
  return { output: outputOf({ stdout: receiver.stdout, stderr: null }), post, [Symbol.asyncDispose]: stop };
}

/** Waits for a receiver that listens. */
const firstOf = (status: () => Promise<number>) =>
  waitFor(() => status().catch(() => undefined), { what: 'a receiver' });

test('the receiver of docs/webhooks.md accepts a signed event once and rejects others', async () => {
  await using receiver = await startReceiver();
  const { post } = receiver;
  const event = (id: string) => JSON.stringify({ id, type: 'purchase.completed', purchaseId: 'P-1' });
  expect(await firstOf(() => post('evt_1', event('evt_1')))).toBe(204);
  expect(await post('evt_1', event('evt_1'))).toBe(204);
  expect(await post('evt_2', event('evt_2'), event('evt_3'))).toBe(401);
  expect(await post('evt_4', event('evt_4'))).toBe(204);
  await waitFor(() => receiver.output.stdout.split('\n').length > 2, { what: 'two events' });
  expect(receiver.output.stdout).toBe('purchase.completed P-1\npurchase.completed P-1\n');
});

/** Differs from its own JSON.stringify(JSON.parse(...)). */
const exact = '{ "type": "test", "text": "\\u00fc", "price": 1.0 }';
const serialized = JSON.stringify(JSON.parse(exact));

test.each(['express.mjs', 'fastify.mjs'])(
  '%s of docs/webhooks.md verifies the exact bytes of a body and rejects others',
  async (fileName) => {
    await using receiver = await startReceiver(fileName);
    expect(await firstOf(() => receiver.post('evt_1', exact))).toBe(204);
    expect(await receiver.post('evt_1', exact, serialized)).toBe(500);
  },
);
