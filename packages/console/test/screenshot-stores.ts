// The stores in which the pictures of the console are taken: a small one, and one with a million purchases.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorClient } from '@opentill/client/operator';
import { createApps } from '../../../bench/apps.ts';
import { adminKey, startBench } from '../../../bench/servers.ts';
import { makeScratch } from '../../server/test/embedded/scratch.ts';
import { startOpentill } from '../../server/test/start/opentill-process.ts';
import { fillStore as fillLargeStore, largeStore } from '../../server/test/store/large-store.ts';
import { waitFor } from '../../server/test/wait-for.ts';
import { fillLab } from './lab-shots.ts';
import { fillSubscriptions } from './subscription-shots.ts';

export const longName = 'com.example.a.package.name.that.is.quite.long.because.nobody.keeps.it.short';
export const buyerId = 'B-1042 (family account)';
export const largeApp = 'com.bench.main';

/** In addition to the demo: an app with a long name whose webhook fails, and one that is disabled. */
async function fillStore(operator: OperatorClient): Promise<void> {
  const packageName = longName;
  await operator.createApp({
    packageName,
    name: 'The Legend of a Game with an Unusually Long Name <b>II</b>',
  });
  await operator.putProduct({
    packageName,
    productId: 'gems',
    type: 'one_time',
    price: 1299,
    currency: 'JPY',
  });
  for (let count = 0; count < 12; count += 1)
    await operator.recordPurchase({ packageName, productId: 'gems', buyerId });
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'gems' });
  await operator.voidPurchase({
    packageName,
    purchaseId,
    reasonCode: 'fraud',
    note: 'Stolen card, reported by the bank on the phone',
  });
  await operator.putWebhook({ packageName, url: 'http://127.0.0.1:1024/hooks' });
  await operator.testWebhook({ packageName });
  await waitFor(
    async () => (await operator.listDeliveries({ packageName })).deliveries.length > 0 || undefined,
    { deadlineMs: 10_000, what: 'a delivery' },
  );
  await operator.deleteWebhook({ packageName });
  await operator.putWebhook({
    packageName,
    url: 'http://127.0.0.1:1024/hooks?key=a-long-secret-in-the-address',
  });
  await operator.testWebhook({ packageName });
  await operator.pauseRenewals({ packageName, note: 'The provider reports an outage' });
  await operator.createApp({ packageName: 'com.example.old', name: 'An old game' });
  await operator.updateApp({ packageName: 'com.example.old', disabled: true });
}

/** A store in which pictures are taken. */
export interface Store extends AsyncDisposable {
  readonly operatorUrl: string;
  readonly operatorKey: string;
}

export async function startSmallStore(): Promise<Store> {
  await using starting = new AsyncDisposableStack();
  const { dataFolder } = starting.use(await makeScratch());
  const env = { OPENTILL_DATA_DIR: dataFolder, OPENTILL_CONSOLE: 'true' };
  const server = starting.use(startOpentill({ env, args: ['--demo'] }));
  const { operatorUrl, publicUrl } = await server.ready();
  const operatorKey = (await readFile(join(dataFolder, 'operator.key'), 'utf8')).trim();
  const operator = new OperatorClient({ host: operatorUrl, operatorKey });
  await fillStore(operator);
  await fillLab(operator, publicUrl);
  await fillSubscriptions(operator);
  const started = starting.move();
  return { operatorUrl, operatorKey, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** Production with 1,000,000 purchases, 5,000 apps and 10,000 failed deliveries. */
export async function startLargeStore(): Promise<Store> {
  await using starting = new AsyncDisposableStack();
  const bench = starting.use(await startBench());
  const server = await bench.startServer({ OPENTILL_JOBS: 'off' });
  await createApps(server, [largeApp]);
  await fillLargeStore(bench.postgres.connection, largeApp, largeStore, Date.now());
  const started = starting.move();
  return {
    operatorUrl: server.operatorUrl,
    operatorKey: adminKey,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
