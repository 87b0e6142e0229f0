// Walks through the voided list while purchases are voided on two servers.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  freshDatabase,
  startTestServer,
  type TestApp,
  type TestDatabase,
  type TestServer,
  testNow,
} from '../harness.ts';
import { TestClock } from '../test-clock.ts';
import { auditLedger } from './ledger-audit.ts';
import { recordPurchases, voidCall } from './many-purchases.ts';
import { PipelinedConnection } from './pipelined-client.ts';

/** Enough voids to take as long as several walks, because each is a transaction on the counter row of its app. */
const purchasesOfWalk = 150;
const voidersAtOnce = 6;
const pageSizes = [1, 7, 999];

/** The clock of the second machine is ahead by half a minute. */
const aheadMs = 30_000;

interface Entry {
  readonly purchaseId: string;
  readonly voidedTime: number;
}

let database: TestDatabase;
let servers: TestServer[];

beforeAll(async () => {
  database = await freshDatabase();
  // Production has no request log, which would slow the test down.
  const env = { OPENTILL_ENVIRONMENT: 'production' };
  servers = [
    await startTestServer({ database, clock: new TestClock(testNow), env }),
    await startTestServer({ database, clock: new TestClock(testNow + aheadMs), env }),
  ];
});

afterAll(async () => {
  expect(await auditLedger(database.connection)).toEqual({});
  for (const server of servers) await server.stop();
  await database[Symbol.asyncDispose]();
});

const at = (index: number): TestServer => servers[index % servers.length] ?? expect.fail();

async function appWithPurchases(packageName: string, count: number): Promise<[TestApp, string[]]> {
  const app = await createTestApp(at(0), packageName);
  const ids = Array.from({ length: count }, (_, index) => `P-${index}`);
  await recordPurchases(at(0), app, ids);
  return [app, ids];
}

/** Voids all purchases concurrently on both servers while time passes; `done` grows with each response. */
async function voidAll(app: TestApp, ids: readonly string[], done: Set<string>): Promise<void> {
  const queue = ids.entries();
  const voiders = Array.from({ length: voidersAtOnce }, async (_, voider) => {
    using connection = new PipelinedConnection(at(voider).operatorUrl);
    for (const [index, purchaseId] of queue) {
      const [answer] = await connection.send([voidCall(app, purchaseId)]);
      expect(answer?.status, answer?.body).toBe(200);
      done.add(purchaseId);
      // Several voids share an instant.
      if (index % 5 === 0) for (const { clock } of servers) await clock.advance(1);
    }
  });
  await Promise.all(voiders);
}

/** Walks from page to page, alternating between the servers. */
async function walk(app: TestApp, pageSize: number, startTime?: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  let query = startTime === undefined ? '' : `&startTime=${startTime}`;
  for (let page = 0; ; page += 1) {
    const path = `/voided-purchases/${app.packageName}?maxResults=${pageSize}${query}`;
    const { status, body, text } = await callPurchaseApi(at(page), { token: app.token, path });
    expect(status, text).toBe(200);
    entries.push(...body.voidedPurchaseList);
    expect(body.voidedPurchaseList.length).toBeLessThanOrEqual(pageSize);
    if (body.continuationKey === undefined) return entries;
    expect(body.voidedPurchaseList).toHaveLength(pageSize);
    query = `&continuationKey=${body.continuationKey}`;
  }
}

function expectAscendingAndSingle(entries: readonly Entry[]): void {
  const times = entries.map(({ voidedTime }) => voidedTime);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(new Set(entries.map(({ purchaseId }) => purchaseId)).size).toBe(entries.length);
}

/** Follows the list as described in docs/decisions/purchases.md: from the last voidedTime on, skipping known entries. */
class Follower {
  readonly seen = new Set<string>();
  #lastTime: number | undefined;

  async follow(app: TestApp, pageSize: number): Promise<void> {
    const entries = await walk(app, pageSize, this.#lastTime);
    for (const { purchaseId } of entries) this.seen.add(purchaseId);
    this.#lastTime = entries.at(-1)?.voidedTime ?? this.#lastTime;
  }
}

describe('walks during voids', () => {
  test.each(pageSizes)(
    'a walk in pages of %i lists every earlier void once, in ascending order, and the next walks list the rest',
    { timeout: 60_000 },
    async (pageSize) => {
      const [app, ids] = await appWithPurchases(`com.example.walk${pageSize}`, purchasesOfWalk);
      const done = new Set<string>();
      const follower = new Follower();
      let isOver = false;
      const voiding = voidAll(app, ids, done).finally(() => {
        isOver = true;
      });
      let walks = 0;
      while (!isOver) {
        const before = new Set(done);
        const entries = await walk(app, pageSize);
        expectAscendingAndSingle(entries);
        const found = new Set(entries.map(({ purchaseId }) => purchaseId));
        expect([...before].filter((id) => !found.has(id))).toEqual([]);
        const doneBefore = new Set(done);
        await follower.follow(app, pageSize);
        expect([...doneBefore].filter((id) => !follower.seen.has(id))).toEqual([]);
        walks += 1;
      }
      await voiding;
      await follower.follow(app, pageSize);
      expect(follower.seen).toEqual(new Set(ids));
      expect(walks).toBeGreaterThan(0);
    },
  );
});
