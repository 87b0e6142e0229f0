// Runs the example receiver of docs/webhooks.md unchanged.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { call } from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { freePort } from './free-port.ts';

const page = await readFile(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
const secret = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
const startedWithinMs = 20_000;

test('the receiver of docs/webhooks.md accepts a signed event once and rejects others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-receiver-'));
  const file = join(folder, 'receiver.mjs');
  await symlink(
    fileURLToPath(new URL('../../../../node_modules', import.meta.url)),
    join(folder, 'node_modules'),
  );
  await writeFile(file, /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
  const port = await freePort();
  const receiver = spawn(process.execPath, [file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PORT: String(port), SECRET: secret },
  });
  const said: string[] = [];
  receiver.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const url = `http://127.0.0.1:${port}/hooks`;
  const post = async (id: string, body: string, signed = body) => {
    const now = new Date();
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, now, signed),
    };
    return (await call(url, { method: 'POST', headers, body })).status;
  };
  const event = (id: string) => JSON.stringify({ id, type: 'purchase.completed', purchaseId: 'P-1' });
  try {
    const first = () => post('evt_1', event('evt_1')).catch(() => undefined);
    expect(await waitFor(first, { deadlineMs: startedWithinMs, what: 'a receiver' })).toBe(204);
    expect(await post('evt_1', event('evt_1'))).toBe(204);
    expect(await post('evt_2', event('evt_2'), event('evt_3'))).toBe(401);
    expect(await post('evt_4', event('evt_4'))).toBe(204);
    const lines = () => said.join('').split('\n').length > 2 && said.join('');
    const printed = await waitFor(lines, { deadlineMs: startedWithinMs, what: 'two events' });
    expect(printed).toBe('purchase.completed P-1\npurchase.completed P-1\n');
  } finally {
    const end = once(receiver, 'close');
    receiver.kill();
    await end;
    await rm(folder, { recursive: true });
  }
});
