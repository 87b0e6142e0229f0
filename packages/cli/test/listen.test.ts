// opentill listen as a process, between a real server and a receiver that verifies the signatures with a library.

import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import {
  newTestApp,
  operatorOf,
  recordTestPurchase,
  type TestApp,
  useTestServer,
} from '../../../test/support/harness.ts';
import { type Listening, listenOnLoopback } from '../../../test/support/loopback.ts';
import { outputOf } from '../../../test/support/process-output.ts';
import { type Ended, opentill } from '../../../test/support/start/program-process.ts';
import { waitFor } from '../../../test/support/wait-for.ts';

const server = await useTestServer();
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
interface Receiver extends Listening {
  /** purchaseId and type of what arrived, in order. */
  readonly received: string[];
}

/** Verifies each request and responds with the status that `respond` returns. */
async function startReceiver(respond: (purchaseId: string) => number | Promise<number>): Promise<Receiver> {
  const webhook = new Webhook(secret);
  const received: string[] = [];
  const http = createServer(async (request, response) => {
    const event = webhook.verify(await text(request), request.headers as Record<string, string>) as {
      readonly type: string;
      readonly purchaseId: string;
    };
    received.push(`${event.purchaseId} ${event.type}`);
    response.writeHead(await respond(event.purchaseId)).end();
  });
  return { ...(await listenOnLoopback(http)), received };
}

interface Run {
  readonly app: TestApp;
  readonly port: number;
  readonly host?: string;
  readonly args?: readonly string[];
}

/** Runs the command until `during`, which begins when the command follows the feed, is done; then sends Ctrl-C. */
async function run(
  { app, port, host = server.publicUrl, args = [] }: Run,
  during: (printed: () => string) => Promise<unknown>,
): Promise<Ended> {
  const forwardTo = `http://127.0.0.1:${port}/hook`;
  const flags = ['--forward-to', forwardTo, '--host', host, '--client-id', app.clientId, '--secret', secret];
  let waiting: Promise<unknown> | undefined;
  const ended = await opentill(['listen', ...flags, ...args], {
    env: { LISTEN_CLIENT_SECRET: app.clientSecret },
    during(running) {
      const output = outputOf(running);
      const end = new Promise((resolve) => running.once('close', resolve));
      const work = async () => {
        await until('a run that follows the feed', () => output.stderr.includes('Forwarding events'));
        await during(() => output.stdout);
      };
      waiting = Promise.race([work(), end]).finally(() => running.kill('SIGINT'));
      // Awaited below.
      waiting.catch(() => undefined);
    },
  });
  await waiting;
  return ended;
}

const until = (what: string, condition: () => unknown): Promise<unknown> =>
  waitFor(async () => Boolean(await condition()), { what });

test('events arrive signed as by a webhook, from now at first, and then from the position that Ctrl-C printed', async () => {
  const app = await newTestApp(server);
  await using receiver = await startReceiver(() => 204);
  await recordTestPurchase(server, app, { purchaseId: 'EARLIER' });
  const first = await run({ app, port: receiver.port }, async () => {
    await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    await until('P-1', () => receiver.received.length === 1);
  });
  expect(first.stdout).toMatch(/^2 {2}purchase\.completed {2}P-1 {2}evt_2_\S{16} {2}HTTP 204 {2}\d+ ms\n$/);
  const [, from = ''] = /^To continue, use --from (\S+)\.$/m.exec(first.stderr) ?? [];
  await recordTestPurchase(server, app, { purchaseId: 'P-2' });
  const resumed = await run({ app, port: receiver.port, args: ['--from', from] }, () =>
    until('P-2', () => receiver.received.includes('P-2 purchase.completed')),
  );
  expect([first.code, resumed.code]).toEqual([130, 130]);
  // An event that was in flight at Ctrl-C may arrive twice.
  expect([...new Set(receiver.received)]).toEqual(['P-1 purchase.completed', 'P-2 purchase.completed']);
});

test('an event that fails is retried every second and holds back those of its purchase only; the last attempt skips it by name', async () => {
  const app = await newTestApp(server);
  const { packageName } = app;
  let failures = 1;
  await using receiver = await startReceiver((purchaseId) => {
    if (purchaseId === 'FAILS') return 500;
    if (purchaseId !== 'LATER') return 204;
    failures -= 1;
    return failures < 0 ? 204 : 503;
  });
  for (const purchaseId of ['FAILS', 'LATER', 'P-1']) await recordTestPurchase(server, app, { purchaseId });
  for (const purchaseId of ['FAILS', 'LATER'])
    await operatorOf(server).voidPurchase({ packageName, purchaseId });
  const args = ['--from', '0', '--retry-seconds', '3', '--json'];
  const ended = await run({ app, port: receiver.port, args }, (printed) =>
    until('all events', () => printed().split('\n').length > 5),
  );
  const lines: readonly Record<string, unknown>[] = ended.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const shown = lines.map(({ purchaseId, type, httpStatus, isSkipped }) =>
    [purchaseId, type, httpStatus, isSkipped].join(' '),
  );
  expect(shown.toSorted()).toEqual([
    'FAILS purchase.completed 500 true',
    'FAILS purchase.voided 500 true',
    'LATER purchase.completed 204 false',
    'LATER purchase.voided 204 false',
    'P-1 purchase.completed 204 false',
  ]);
  expect(receiver.received.filter((event) => event.startsWith('LATER'))).toEqual([
    ...Array(2).fill('LATER purchase.completed'),
    'LATER purchase.voided',
  ]);
  expect(receiver.received.indexOf('P-1 purchase.completed')).toBeLessThan(
    receiver.received.lastIndexOf('FAILS purchase.completed'),
  );
  expect(ended.stderr).toMatch(/^evt_1_\S{16}: HTTP 500; retried for 3 s\.$/m);
});
