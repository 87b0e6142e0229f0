// Calls next to rows that another connection keeps locked.

import { Client } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type Answer,
  callPurchaseApi,
  createTestApp,
  operate,
  recordTestPurchase,
  requestToken,
  type TestApp,
  useTestServer,
} from '../harness.ts';
import { changeAutoPayment, tryConsume, tryVoid } from '../purchase-changes.ts';
import { answeredWithinMs } from './every-call.ts';
import { auditLedger } from './ledger-audit.ts';
import { OwnTime } from './own-time.ts';

/** Well below the lock timeout of a second, so that a call that waited for the lock exceeds it. */
const othersWithinMs = 700;

/** More than there are database connections, so that a stuck lock could block all of them. */
const stuckCalls = 24;

/** How long other calls are repeated while the row is locked. */
const wavesWhileHeld = 9;

/** The median duration of calls next to a locked counter is below the 250 ms that a shared statement waits. */
const usuallyWithinMs = 150;

let slowestOther = 0;

const time = new OwnTime();
const server = await useTestServer();
const app = await createTestApp(server, 'com.example.stuck');
const otherApp = await createTestApp(server, 'com.example.other');

afterAll(async () => {
  time[Symbol.dispose]();
  process.stdout.write(`held rows: the slowest call of others took ${Math.round(slowestOther)} ms\n`);
  expect(await auditLedger(server.connection)).toEqual({});
});

/** A row that another connection locks until the end of the scope. */
async function hold(rows: string, of: TestApp, ...ids: string[]): Promise<HeldRow> {
  const client = new Client(server.connection);
  await client.connect();
  await client.query('begin');
  const held = await client.query(`select from ${rows} for update`, [of.packageName, ...ids]);
  expect(held.rowCount).toBe(1);
  let freed: Promise<void> | undefined;
  const free = (): Promise<void> => {
    freed ??= client.end();
    return freed;
  };
  return { free, [Symbol.asyncDispose]: free };
}

interface HeldRow extends AsyncDisposable {
  free(): Promise<void>;
}

interface Timed {
  readonly answer: Answer;
  readonly ms: number;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function timed(call: Promise<Answer>): Promise<Timed> {
  const begun = time.now();
  const answer = await call;
  return { answer, ms: time.now() - begun };
}

async function onTime(call: Promise<Answer>): Promise<Answer> {
  const { answer, ms } = await timed(call);
  slowestOther = Math.max(slowestOther, ms);
  expect(ms).toBeLessThan(othersWithinMs);
  return answer;
}

const consume = (of: TestApp, purchaseId: string) => tryConsume(server, of, purchaseId);

const voidOf = (of: TestApp, purchaseId: string) => tryVoid(server, of, purchaseId);

const record = (of: TestApp) =>
  operate(server, 'POST', `/apps/${of.packageName}/purchases`, { body: { productId: 'coins' } });

const cancel = (of: TestApp, purchaseId: string) =>
  changeAutoPayment(server, of, { purchaseId, action: 'cancel' });

const read = (of: TestApp, purchaseId: string) =>
  callPurchaseApi(server, { token: of.token, path: `/details/${purchaseId}/${of.packageName}` });

async function newPurchase(of: TestApp, productId = 'coins'): Promise<string> {
  return (await recordTestPurchase(server, of, { productId })).purchaseId;
}

/** Sends every kind of call, sequentially and concurrently, on different purchases, and checks that all succeed quickly. */
async function othersGoOn(of: TestApp): Promise<void> {
  const [consumed, voided, readOnly, monthly] = [
    await newPurchase(of),
    await newPurchase(of),
    await newPurchase(of),
    await newPurchase(of, 'monthly'),
  ];
  const calls = await Promise.all([
    onTime(consume(of, consumed)),
    onTime(voidOf(of, voided)),
    onTime(read(of, readOnly)),
    onTime(record(of)),
    onTime(cancel(of, monthly)),
  ]);
  expect(calls.map(({ status }) => status)).toEqual([200, 200, 200, 201, 200]);
}

/** Checks that calls that need the locked row get 503 in time. */
async function expectRefused(calls: readonly Promise<Timed>[]): Promise<void> {
  for (const { answer, ms } of await Promise.all(calls)) {
    expect(answer.status).toBe(503);
    expect(answer.body.error?.code ?? answer.body.status).toSatisfy((code) => code === 9999 || code === 503);
    expect(ms).toBeLessThan(answeredWithinMs);
  }
}

const many = (call: () => Promise<Answer>): Promise<Timed>[] =>
  Array.from({ length: stuckCalls }, () => timed(call()));

describe('locked rows', () => {
  test.each([
    ['purchase', 'coins', 'purchase where package_name = $1 and purchase_id = $2', consume],
    ['subscription', 'monthly', 'subscription where package_name = $1 and first_purchase_id = $2', cancel],
  ] as const)(
    'a locked %s row delays only the calls that need it, which get 503 in time',
    { timeout: 60_000 },
    async (_, productId, rows, change) => {
      const held = await newPurchase(app, productId);
      await using lock = await hold(rows, app, held);
      const stuck = [...many(() => change(app, held)), ...many(() => voidOf(app, held))];
      await othersGoOn(otherApp);
      await othersGoOn(app);
      await expectRefused(stuck);
      await lock.free();
      expect((await voidOf(app, held)).status).toBe(200);
    },
  );

  test('a locked counter row of an app delays only changes of that app, which get 503 in time', {
    timeout: 60_000,
  }, async () => {
    const [consumed, voided, readable] = [
      await newPurchase(app),
      await newPurchase(app),
      await newPurchase(app),
    ];
    await using lock = await hold('app_counter where package_name = $1', app);
    const stuck = [...many(() => voidOf(app, voided)), ...many(() => record(app))];
    const waits: number[] = [];
    for (let wave = 0; wave < wavesWhileHeld; wave += 1) {
      const otherPurchase = await newPurchase(otherApp);
      // Concurrently, so that both apps may share a statement.
      stuck.push(...Array.from({ length: 4 }, () => timed(consume(app, consumed))));
      const begun = time.now();
      expect((await onTime(consume(otherApp, otherPurchase))).status).toBe(200);
      waits.push(time.now() - begun);
      expect((await onTime(read(app, readable))).status).toBe(200);
    }
    expect(median(waits)).toBeLessThan(usuallyWithinMs);
    await othersGoOn(otherApp);
    await expectRefused(stuck);
    await lock.free();
    // The app works again, first on its own and then together with the others.
    for (let round = 0; round < 2; round += 1) await othersGoOn(app);
  });

  test('a locked newest-token row delays only requests for a new token, which get 503 in time', {
    timeout: 60_000,
  }, async () => {
    const { clock } = server;
    const readable = await newPurchase(otherApp);
    // Both apps now get a new token, and their existing tokens stay valid.
    await clock.advance((3_600 - 599) * 1_000);
    await using lock = await hold('access_token where package_name = $1', app);
    const stuck = many(() => requestToken(server, app));
    expect((await onTime(requestToken(server, otherApp))).status).toBe(200);
    expect((await onTime(read(otherApp, readable))).status).toBe(200);
    await othersGoOn(app);
    await expectRefused(stuck);
    await lock.free();
    expect((await requestToken(server, app)).body.expires_in).toBe(3_600);
  });
});

test('a call that waits for a locked row continues as soon as it is released', async () => {
  const held = await newPurchase(app);
  const lock = await hold('purchase where package_name = $1 and purchase_id = $2', app, held);
  const waiting = many(() => consume(app, held));
  await othersGoOn(app);
  await lock.free();
  const statuses = (await Promise.all(waiting)).map(({ answer }) => answer.status).sort();
  expect(statuses).toEqual([200, ...Array.from({ length: stuckCalls - 1 }, () => 409)]);
});
