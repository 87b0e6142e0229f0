// Backends follow the voided list window by window, with their last endTime as the next startTime, while purchases are
// voided on two servers whose clocks differ from that of their database.

import { expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  databaseEnv,
  freshDatabase,
  requestToken,
  type TestApp,
  useForFile,
} from '../../../../test/support/harness.ts';
import { type ServerAddress, startOpentill } from '../../../../test/support/start/opentill-process.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { PipelinedConnection } from '../http/pipelined-client.ts';
import { recordPurchases, voidCall } from './many-purchases.ts';

const purchases = 200;
const voidersAtOnce = 16;

/** The clock of the second server is wrong by this, in ms. */
const behindMs = 50_000;

const database = await useForFile(freshDatabase());
const env = {
  ...databaseEnv(database.connection),
  OPENTILL_ENVIRONMENT: 'production',
  OPENTILL_LOG_LEVEL: 'error',
};
const behind = `const now = Date.now; Date.now = () => now() - ${behindMs};`;
const slow = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(behind)}` };
const servers = [
  await (await useForFile(startOpentill({ env }))).ready(),
  await (await useForFile(startOpentill({ env: { ...env, ...slow } }))).ready(),
] as const;

const at = (index: number): ServerAddress => servers[index % servers.length] ?? expect.fail();

/** Follows the list by windows that end now, or ahead of now by the clock of the client, until `isOver`. */
async function follow(
  app: TestApp,
  {
    reader,
    aheadMs,
    isOver,
  }: { readonly reader: number; readonly aheadMs: number; readonly isOver: () => boolean },
): Promise<Set<string>> {
  const seen = new Set<string>();
  let startTime = systemClock.now() - 60_000;
  for (let windows = 0, isLast = false; !isLast; windows += 1) {
    isLast = isOver();
    const endTime = systemClock.now() + aheadMs;
    let query = `startTime=${startTime}&endTime=${endTime}`;
    for (;;) {
      const path = `/voided-purchases/${app.packageName}?maxResults=50&${query}`;
      const { status, body, text } = await callPurchaseApi(at(reader + windows), { token: app.token, path });
      if (status === 503) continue;
      expect(status, text).toBe(200);
      for (const { purchaseId } of body.voidedPurchaseList) seen.add(purchaseId);
      if (body.continuationKey === undefined) break;
      query = `continuationKey=${body.continuationKey}`;
    }
    startTime = endTime;
  }
  return seen;
}

test.each([
  { readers: 2, aheadMs: 0 },
  { readers: 8, aheadMs: 0 },
  { readers: 2, aheadMs: 900 },
])(
  '$readers backends whose clock is $aheadMs ms ahead see every void of two servers',
  async ({ readers, aheadMs }) => {
    const created = await createTestApp(at(0), `com.example.windows${readers}.ahead${aheadMs}`);
    const app = { ...created, token: (await requestToken(at(1), created)).body.access_token };
    const ids = Array.from({ length: purchases }, (_, index) => `p${index + 1}`);
    await recordPurchases(at(0), app, ids);
    let isOver = false;
    const following = Array.from({ length: readers }, (_, reader) =>
      follow(app, { reader, aheadMs, isOver: () => isOver }),
    );
    const queue = ids.values();
    const voiders = Array.from({ length: voidersAtOnce }, async (_, voider) => {
      using connection = new PipelinedConnection(at(voider).operatorUrl);
      for (const purchaseId of queue) {
        let status = 503;
        while (status === 503)
          [{ status } = { status: 0 }] = await connection.send([voidCall(app, purchaseId)]);
        expect(status).toBe(200);
      }
    });
    await Promise.all(voiders);
    isOver = true;
    for (const seen of await Promise.all(following)) expect(ids.filter((id) => !seen.has(id))).toEqual([]);
  },
);
