// The events of a whole store through the client: every app, across failures, gaps and new apps.

import { beforeEach, expect, test } from 'vitest';
import { contractFetch } from '../../../test/support/contract-fetch.ts';
import {
  adminKey,
  createTestApp,
  readKey,
  recordTestPurchase,
  useTestServer,
} from '../../../test/support/harness.ts';
import {
  OperatorClient,
  type StoreFollow,
  type StoreGap,
  type StorePosition,
} from '../src/operator-client.ts';
import { errorOf, testTiming } from './client-stage.ts';

const server = await useTestServer();
const admin = new OperatorClient({ host: server.operatorUrl, operatorKey: adminKey, fetch: contractFetch });

class Ended extends Error {}

/** A reader of the store that stores its position with what it has read, and does `steps` between its polls. */
class Reader {
  since: StoreFollow['since'];
  readonly ids: string[] = [];
  readonly orders = new Map<string, number[]>();
  readonly gaps: StoreGap[] = [];
  readonly pauses: number[] = [];
  readonly calls: string[] = [];
  /** What is to be done at the time of each call of listApps. */
  onList: () => Promise<void> = async () => undefined;

  constructor(since: StoreFollow['since'] = 'now') {
    this.since = since;
  }

  async run(
    steps: readonly (() => Promise<unknown>)[],
    options: Partial<StoreFollow> = {},
  ): Promise<unknown> {
    const left = [...steps];
    const timing = testTiming(server.clock, this.pauses);
    const client = new OperatorClient({
      host: server.operatorUrl,
      operatorKey: readKey,
      retriesMax: 0,
      fetch: async (url, init) => {
        this.calls.push(new URL(url).pathname);
        if (url.includes('/apps?')) await this.onList();
        return contractFetch(url, init);
      },
      timing: {
        ...timing,
        async wait(ms, signal) {
          await timing.wait(ms, signal);
          const step = left.shift();
          if (step === undefined) throw new Ended();
          await step();
        },
      },
    });
    const save: StoreFollow['save'] = ({ events, position }) => {
      for (const { id, order, packageName } of events) {
        this.ids.push(id);
        this.orders.set(packageName, [...(this.orders.get(packageName) ?? []), order]);
      }
      this.since = JSON.parse(JSON.stringify(position)) as StorePosition;
    };
    const ending = await client.followStore({ since: this.since, save, ...options }).catch((error) => error);
    if (!(ending instanceof Ended)) throw ending;
    return ending;
  }
}

const newApp = () => createTestApp(server, `com.example.${crypto.randomUUID()}`);
const sell = async (packageName: string, count = 1): Promise<void> => {
  for (let sold = 0; sold < count; sold += 1) await recordTestPurchase(server, { packageName });
};
let [first, second] = ['', ''];
beforeEach(async () => {
  [first, second] = [(await newApp()).packageName, (await newApp()).packageName];
});

test('every event of every app is passed in the order of its app, from now on, and a new app starts at its first event', async () => {
  await sell(first, 3);
  const reader = new Reader();
  let third = '';
  await reader.run([
    () => sell(second, 2),
    async () => {
      third = (await newApp()).packageName;
      await sell(third, 2);
      await sell(first);
    },
    () => sell(third, 205),
  ]);
  expect(reader.orders.get(first)).toEqual([4]);
  expect(reader.orders.get(second)).toEqual([1, 2]);
  expect(reader.orders.get(third)).toEqual(Array.from({ length: 207 }, (_, index) => index + 1));
  expect(Object.keys(reader.since)).toContain(third);
});

test('from {} it starts with the first event of every app, and only apps with new events are read', async () => {
  await sell(first, 2);
  const reader = new Reader({});
  const feed = (packageName: string) => `/operator/v1/apps/${packageName}/events`;
  await reader.run([async () => undefined, () => sell(second)]);
  expect([reader.orders.get(first), reader.orders.get(second)]).toEqual([[1, 2], [1]]);
  expect(reader.calls.filter((path) => path === feed(first))).toHaveLength(1);
  expect(reader.calls.filter((path) => path === feed(second))).toHaveLength(1);
});

test('a reader that ends at any step repeats at most its last page, with the same ids, and skips nothing', async () => {
  const reader = new Reader();
  await reader.run([]);
  for (const packageName of [first, second]) await sell(packageName, 3);
  const seen: string[] = [];
  for (let failing = 1; failing <= 3; failing += 1) {
    let saves = 0;
    const save: StoreFollow['save'] = ({ events, position }) => {
      seen.push(...events.map(({ id }) => id));
      saves += 1;
      if (saves === failing) throw new Error('killed');
      reader.since = position;
    };
    await reader.run([() => sell(first)], { save }).catch((error) => expect(error.message).toBe('killed'));
  }
  const { since } = reader;
  const all = new Reader({});
  await all.run([]);
  const expected = all.ids.filter((id) => seen.includes(id));
  expect(new Set(seen)).toEqual(new Set(expected));
  const rest = new Reader(since);
  await rest.run([]);
  const ofBoth = [first, second].flatMap((packageName) => all.orders.get(packageName)?.length ?? 0);
  expect(new Set([...seen, ...rest.ids]).size).toBe(ofBoth.reduce((sum, count) => sum + count, 0));
});

test('removed events end it with the app and the gap, or are reported before it continues', async () => {
  await sell(first, 2);
  const reader = new Reader({});
  await reader.run([]);
  await sell(first);
  await admin.reset({ packageName: first });
  await sell(second);
  await sell(first);
  const error = await errorOf(reader.run([]));
  expect(error.httpStatus).toBe(410);
  expect(error.message).toMatch(
    new RegExp(
      `^followStore: the events of ${first} after evt_2_\\S+ are no longer available; the next one is 4$`,
    ),
  );
  await reader.run([() => sell(first)], { onGap: (gap) => void reader.gaps.push(gap) });
  expect(reader.gaps).toMatchObject([{ packageName: first, nextOrder: 4 }]);
  expect(reader.orders.get(first)).toEqual([1, 2, 4, 5]);
  expect(reader.orders.get(second)).toEqual([1]);
});

test('an app whose feed ends before the position, as after a restored backup, is a gap before its oldest event', async () => {
  await sell(first, 2);
  const reader = new Reader();
  await reader.run([]);
  reader.since = { ...(reader.since as StorePosition), [first]: '7' };
  await expect(reader.run([])).rejects.toThrow(`after 7 are no longer available; the next one is 1`);
  await reader.run([], { onGap: (gap) => void reader.gaps.push(gap) });
  expect([reader.gaps.length, reader.orders.get(first)]).toEqual([1, [1, 2]]);
});

test('it polls every second, and rests at least as long as the list took', async () => {
  const reader = new Reader();
  await reader.run([]);
  reader.onList = () => server.clock.advance(300);
  await reader.run([]);
  reader.onList = () => server.clock.advance(2_500);
  await reader.run([]);
  expect(reader.pauses).toEqual([1_000, 700, 2_500]);
});
