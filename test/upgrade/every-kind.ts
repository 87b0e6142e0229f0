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

export interface FilledApps {
  /** The reads that show these apps only, by their names, as a server responds to them. */
  read(server: ServerAddress): Promise<Readonly<Record<string, string>>>;
  readonly packageNames: readonly string[];
}

export async function fillEveryKind(server: ServerAddress): Promise<FilledApps> {
  const packageNames = ['com.example.a', 'com.example.b'];
  const apps: [TestApp, TestApp] = [
    await createTestApp(server, 'com.example.a'),
    await createTestApp(server, 'com.example.b'),
  ];
  for (const [method, path, body] of kindsAt(systemClock.now())) {
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
  const reads = everyCall(apps, ids).filter(({ name }) => isReadOf(name, packageNames));
  const read = (from: ServerAddress) => readAll(from, reads);
  await settled(() => read(server));
  return { read, packageNames };
}

/** Without statements, because a job closes months every minute. */
const isReadOf = (name: string, packageNames: readonly string[]) =>
  name.startsWith('GET ') &&
  !name.includes('/statements') &&
  packageNames.some((packageName) => name.includes(packageName));

async function readAll(server: ServerAddress, reads: readonly EveryCall[]) {
  const shown: Record<string, string> = {};
  for (const { name, make } of reads) {
    const { status, text } = await make(server);
    shown[name] = `${status} ${text}`;
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
