// Fills an app of a sandbox with every kind of row, by the APIs, and reads everything that they show of it.

import fc from 'fast-check';
import { systemClock } from '../../packages/server/src/runtime/clock.ts';
import { createTestApp, operate, type TestApp } from '../support/harness.ts';
import type { ServerAddress } from '../support/start/opentill-process.ts';
import { type EveryCall, everyCall } from '../support/transfer/every-call.ts';
import { lastSteps, storeSteps, take } from '../support/transfer/store-steps.ts';
import { waitFor } from '../support/wait-for.ts';

/** Nobody listens there, so that the deliveries are a backlog. */
const closedUrl = 'http://127.0.0.1:1024/hooks';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The histories of random steps. */
const histories = { seed: 1, numRuns: 5 };

const monthly = { productId: 'monthly', price: 100 };
const sale = (purchaseId: string, fields: object) =>
  ['POST', '/purchases', { purchaseId, ...fields }] as const;
const subscription = (type: string, period: string) =>
  ['PUT', `/products/${type}`, { type: 'subscription', period, price: 499, currency: 'EUR' }] as const;
const periods = { weekly: 'P1W', quarterly: 'P3M', 'half-yearly': 'P6M', yearly: 'P1Y' };

/** Each has to succeed. */
const kindsAt = (now: number): readonly (readonly [method: string, path: string, body?: object])[] => [
  ['PUT', '/clock', { mode: 'frozen' }],
  ['PUT', '/webhook', { url: closedUrl }],
  ...Object.entries(periods).map(([type, period]) => subscription(type, period)),
  ...Object.keys(periods).map((productId) => sale(`p-${productId}`, { productId, buyerId: 'b' })),
  sale('p-trial', { productId: 'monthly', firstPeriod: { length: 'P3D', price: 0 }, renewalPrice: 77 }),
  sale('p-0', { productId: 'coins', orderId: 'o-1', buyerId: 'b' }),
  sale('p-refunded', { productId: 'coins', price: 100 }),
  ['POST', '/purchases/p-refunded/void', { refundAmount: 40 }],
  sale('p-extended', monthly),
  ['POST', '/subscriptions/p-extended/extend', { expiryTime: now + 40 * dayMs }],
  sale('p-asked', monthly),
  ['POST', '/subscriptions/p-asked/change-renewal-price', { price: 200, consent: 'awaited' }],
  ['POST', '/clock/advance', { by: 'P1M' }],
  ['POST', '/clock/advance', { by: 'P1M' }],
  sale('p-consenting', monthly),
  ['POST', '/subscriptions/p-consenting/cancel', { consent: 'awaited' }],
  ['POST', '/subscriptions/p-consenting/reactivate', { consent: 'given' }],
];

const ids = [
  ...['p-0', 'p-refunded', 'p-extended', 'p-asked', 'p-consenting', 'p-trial', 'p-weekly', 'p-yearly'],
  ...['p-last', 'p-void', 'p-used', 'p-none'],
];

export interface FilledStore {
  /** Every read that shows what is stored, as a server responds to it. */
  read(server: ServerAddress): Promise<Readonly<Record<string, string>>>;
  /** The closed months of com.example.a, oldest first. */
  readonly months: readonly string[];
}

export async function fillEveryKind(server: ServerAddress): Promise<FilledStore> {
  const begun = systemClock.now();
  const packageNames = ['com.example.a', 'com.example.b'];
  const apps: [TestApp, TestApp] = [
    await createTestApp(server, 'com.example.a'),
    await createTestApp(server, 'com.example.b'),
  ];
  for (const [method, path, body] of kindsAt(begun)) {
    const url = `/apps/com.example.a${path}`;
    const { status, text } = await operate(server, method, url, body === undefined ? {} : { body });
    if (status >= 300) throw new Error(`${method} ${url}: ${status} ${text}`);
  }
  for (const steps of fc.sample(storeSteps, histories)) {
    for (const step of steps) await take(server, apps, { ...step, app: 1 });
  }
  const kept = lastSteps.filter((step) => !(step.do === 'operate' && step.call[1] === '/webhook'));
  for (const step of kept) await take(server, apps, step);
  for (const packageName of packageNames) {
    await operate(server, 'PUT', `/apps/${packageName}/clock`, { body: { mode: 'frozen' } });
  }
  const months = await closedMonths(server, begun);
  const days = [begun, begun + 120 * dayMs].map((time) => new Date(time).toISOString().slice(0, 10));
  const asked = { months, days: `from=${days[0]}&to=${days[1]}`, to: systemClock.now() };
  const reads = readsOf(apps, asked);
  const read = (from: ServerAddress) => readAll(from, reads);
  await counted(server, asked);
  await settled(() => read(server));
  return { read, months };
}

const monthOf = (time: number) => new Date(time).toISOString().slice(0, 7);

/** Waits until all months of the app have closed that are over on its clock, which stands still. */
async function closedMonths(server: ServerAddress, begun: number): Promise<readonly string[]> {
  const { body: clock } = await operate(server, 'GET', '/apps/com.example.a/clock');
  const open = monthOf(clock.now - minuteMs);
  const over = new Set<string>();
  for (let time = begun; monthOf(time) < open; time += dayMs) over.add(monthOf(time));
  const areClosed = async () => {
    const { body } = await operate(server, 'GET', '/apps/com.example.a/statements');
    return body.statements.filter(({ closedAt }: { closedAt?: number }) => closedAt).length === over.size;
  };
  await waitFor(areClosed, { what: `closed months ${[...over]}` });
  return [...over];
}

/** What the reads are asked for, which depends on when the store was filled. */
interface AskedFor {
  readonly months: readonly string[];
  readonly days: string;
  /** Later actions are the files that are read here. */
  readonly to: number;
}

function readsOf(apps: [TestApp, TestApp], { months, days, to }: AskedFor): readonly EveryCall[] {
  const actions = ['', '&packageName=com.example.a', '&operationId=voidPurchase'];
  const queries = {
    listActions: actions.map((query) => `?to=${to}&pageSize=200${query}`),
    getStatistics: ['day', 'month', 'product', 'app'].map((by) => `?${days}&by=${by}`),
  };
  const reads = everyCall(apps, ids, { months: [...months, 'soFar'], queries }).filter(isCompared);
  const files = reads.filter(({ name }) => name.includes('/statements/'));
  return [
    ...reads,
    ...files.map(({ name, make }) => ({
      name: `${name} as CSV`,
      make: (server: ServerAddress) => make(server, 'text/csv'),
    })),
  ];
}

/** The session says which version responds. */
const isCompared = ({ name }: EveryCall) => name.startsWith('GET ') && !name.includes('/sessions/');

/** Waits until statistics contain everything. */
async function counted(server: ServerAddress, { days, to }: AskedFor): Promise<void> {
  const isCounted = async () => (await operate(server, 'GET', `/statistics?${days}`)).body.countedUntil > to;
  await waitFor(isCounted, { what: 'statistics of everything' });
}

/** When the server has read or counted, not what. */
const timesOfReads = /("(?:calledAt|checkedAt|countedUntil)"):\d+/g;

async function readAll(server: ServerAddress, reads: readonly EveryCall[]) {
  const shown: Record<string, string> = {};
  for (const { name, make } of reads) {
    const { status, text } = await make(server);
    shown[name] = `${status} ${text.replaceAll(timesOfReads, '$1:0')}`;
  }
  return shown;
}

/** Waits until the jobs have processed what is due. */
async function settled(read: () => Promise<unknown>): Promise<void> {
  let before = '';
  const isSame = async () => {
    const shown = JSON.stringify(await read());
    const same = shown === before;
    before = shown;
    return same;
  };
  await waitFor(isSame, { what: 'a store in which nothing is due' });
}
