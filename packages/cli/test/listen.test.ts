// opentill listen as a process, between a real server and a receiver that verifies the signatures with a library.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import {
  freshDatabase,
  newTestApp,
  operatorOf,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  testTokenKeys,
  useTestServer,
} from '../../server/test/harness.ts';
import { type Listening, listenOnLoopback } from '../../server/test/loopback.ts';
import { waitFor } from '../../server/test/wait-for.ts';
import { type Ended, opentill } from './program-process.ts';

const server = await useTestServer();
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const deadlineMs = 20_000;

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

interface Receiver extends Listening {
  /** purchaseId and type of what arrived, in order. */
  readonly received: string[];
}

/** Verifies each request and answers with the status that `answer` returns. */
async function startReceiver(answer: (purchaseId: string) => number | Promise<number>): Promise<Receiver> {
  const webhook = new Webhook(secret);
  const received: string[] = [];
  const http = createServer(async (request, response) => {
    const event = webhook.verify(await textOf(request), request.headers as Record<string, string>) as {
      readonly type: string;
      readonly purchaseId: string;
    };
    received.push(`${event.purchaseId} ${event.type}`);
    response.writeHead(await answer(event.purchaseId)).end();
  });
  return { ...(await listenOnLoopback(http)), received };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

interface Run {
  readonly app: TestApp;
  readonly port: number;
  readonly host?: string;
  readonly stateFolder: string;
  readonly args?: readonly string[];
}

/** Runs the command until `during` is done, then sends the signal. */
async function run(
  { app, port, host = server.publicUrl, stateFolder, args = [] }: Run,
  during: () => Promise<void>,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<Ended> {
  const flags = [
    '--forward-to',
    `http://127.0.0.1:${port}/hook`,
    '--host',
    host,
    '--client-id',
    app.clientId,
  ];
  let waiting: Promise<unknown> | undefined;
  const ended = await opentill(['listen', ...flags, '--secret', secret, ...args], {
    env: { LISTEN_CLIENT_SECRET: app.clientSecret, XDG_STATE_HOME: stateFolder },
    during(running) {
      const ended = new Promise((resolve) => running.once('close', resolve));
      waiting = Promise.race([during(), ended]).finally(() => running.kill(signal));
      // Awaited below.
      waiting.catch(() => undefined);
    },
  });
  await waiting;
  return ended;
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-listen-'));
  folders.push(folder);
  return folder;
}

async function storedPosition(stateFolder: string): Promise<string | undefined> {
  const folder = join(stateFolder, 'opentill', 'listen');
  // A new position is written to another file first, whose name ends with the number of the process.
  const names = (await readdir(folder).catch(() => [])).filter((name) => !/\.\d+$/.test(name));
  return names.length === 1 ? (await readFile(join(folder, String(names[0])), 'utf8')).trim() : undefined;
}

const until = (what: string, condition: () => unknown): Promise<unknown> =>
  waitFor(async () => Boolean(await condition()), { deadlineMs, what });

test('events arrive signed as by a webhook, from now at first, and after a kill -9 from where the run ended', async () => {
  const app = await newTestApp(server);
  const { packageName } = app;
  const stateFolder = await newFolder();
  await using receiver = await startReceiver(() => 204);
  await recordTestPurchase(server, app, { purchaseId: 'EARLIER' });
  const one = { app, port: receiver.port, stateFolder };
  const killed = await run(
    one,
    async () => {
      await until('a stored position', () => storedPosition(stateFolder));
      await recordTestPurchase(server, app, { purchaseId: 'P-1' });
      await until('P-1', () => receiver.received.length === 1);
      const { events } = await operatorOf(server).listEvents({ packageName });
      await until('its position', async () => (await storedPosition(stateFolder)) === events.at(-1)?.id);
    },
    'SIGKILL',
  );
  expect(killed.stdout).toMatch(/^2 {2}purchase\.completed {2}P-1 {2}evt_2_\S{16} {2}HTTP 204 {2}\d+ ms\n$/);
  await recordTestPurchase(server, app, { purchaseId: 'P-2' });
  const resumed = await run(one, () =>
    until('P-2', () => receiver.received.length === 2).then(() => undefined),
  );
  expect(resumed.code).toBe(130);
  expect(receiver.received).toEqual(['P-1 purchase.completed', 'P-2 purchase.completed']);
});

test('an event that fails is retried every second and holds back those of its purchase only; the last attempt skips it by name', async () => {
  const app = await newTestApp(server);
  const { packageName } = app;
  const stateFolder = await newFolder();
  let failures = 2;
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
  const ended = await run({ app, port: receiver.port, stateFolder, args }, async () => {
    const { events } = await operatorOf(server).listEvents({ packageName });
    await until('all events', async () => (await storedPosition(stateFolder)) === events.at(-1)?.id);
  });
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
  const of = (purchaseId: string) => receiver.received.filter((text) => text.startsWith(purchaseId));
  expect(of('LATER')).toEqual([
    ...Array.from({ length: 3 }, () => 'LATER purchase.completed'),
    'LATER purchase.voided',
  ]);
  // Four attempts within three seconds, or fewer on a busy machine.
  expect(of('FAILS purchase.completed').length).toBeGreaterThanOrEqual(2);
  expect(receiver.received.indexOf('P-1 purchase.completed')).toBeLessThan(
    receiver.received.lastIndexOf('FAILS purchase.completed'),
  );
  expect(ended.stderr).toMatch(/^evt_1_\S{16}: HTTP 500; retried for 3 s\.$/m);
});

test('nothing is lost over a restart of the server, which is waited for', async () => {
  await using database = await freshDatabase();
  const tokenKeys = testTokenKeys();
  const first = await startTestServer({ database, tokenKeys });
  const app = await newTestApp(first);
  const stateFolder = await newFolder();
  await using receiver = await startReceiver(() => 200);
  const { port } = new URL(first.publicUrl);
  let second: Awaited<ReturnType<typeof startTestServer>> | undefined;
  const run1 = { app, port: receiver.port, stateFolder, host: first.publicUrl };
  const ended = await run(run1, async () => {
    await until('a stored position', () => storedPosition(stateFolder));
    await recordTestPurchase(first, app, { purchaseId: 'BEFORE' });
    await first.stop();
    second = await startTestServer({ database, tokenKeys, env: { OPENTILL_PORT: port } });
    await recordTestPurchase(second, app, { purchaseId: 'AFTER' });
    await until('both', () => receiver.received.length === 2);
  });
  await second?.stop();
  expect(receiver.received).toEqual(['BEFORE purchase.completed', 'AFTER purchase.completed']);
  expect(ended.code).toBe(130);
});

test('only the chosen types are posted, and the position passes the others', async () => {
  const app = await newTestApp(server);
  const { packageName } = app;
  const stateFolder = await newFolder();
  await using receiver = await startReceiver(() => 200);
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
  await operatorOf(server).voidPurchase({ packageName, purchaseId: 'P-1' });
  await recordTestPurchase(server, app, { purchaseId: 'P-2' });
  const args = ['--from', '0', '--events', 'purchase.voided', 'purchase.consumed'];
  await run({ app, port: receiver.port, stateFolder, args }, async () => {
    const { events } = await operatorOf(server).listEvents({ packageName });
    await until('the end', async () => (await storedPosition(stateFolder)) === events.at(-1)?.id);
  });
  expect(receiver.received).toEqual(['P-1 purchase.voided']);
});

test('a position whose events were removed ends the command with one line', async () => {
  const app = await newTestApp(server);
  const { packageName } = app;
  await using receiver = await startReceiver(() => 200);
  await recordTestPurchase(server, app);
  await operatorOf(server).reset({ packageName });
  const { code, stderr } = await run(
    { app, port: receiver.port, stateFolder: await newFolder(), args: ['--from', '0'] },
    () => new Promise(() => undefined),
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^The events after 0 are no longer available: read the current state from the API, then continue with --from now\.$/m,
  );
});

test.each([
  [['--forward-to', 'ftp://localhost/'], '--forward-to: expected http(s)://host/path.'],
  [['--secret', 'whsec_short'], '--secret: expected whsec_ and 24 to 64 bytes in base64.'],
  [['--events', 'purchase.paid'], /^--events: expected purchase\.completed, .*; got purchase\.paid\.$/],
])('%j is rejected in one line', async (args, line) => {
  const options = { env: { LISTEN_CLIENT_SECRET: 'x' } };
  const { code, stdout, stderr } = await opentill(
    ['listen', '--forward-to', 'http://localhost/', ...args],
    options,
  );
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.trimEnd()).toMatch(line);
});
