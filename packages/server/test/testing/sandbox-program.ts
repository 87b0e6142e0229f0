// A program like the test of a backend: it uses sandboxes and ends. With `hold` it keeps running.

import { startSandbox } from '../../src/program/testing.ts';

const first = await startSandbox();
const second = await startSandbox({ settings: { OPENTILL_REQUIRE_CONTENT_TYPE: 'false' } });
const packageName = 'com.example.same';
const apps = [await first.createApp({ packageName }), await second.createApp({ packageName })] as const;
await apps[0].sandbox.putProduct({ productId: 'coins', type: 'one_time', price: 1, currency: 'EUR' });
const { purchaseId } = await apps[0].sandbox.recordPurchase({ productId: 'coins' });
const found = await Promise.all(apps.map(({ sandbox }) => sandbox.listPurchases()));
// The second sandbox reuses the database of the first one, without its data.
await first.stop();
const third = await startSandbox();
const left = (await third.operator.listApps()).apps;
await third.createApp({ packageName });
process.stdout.write(
  `${JSON.stringify({ left, purchaseId, found: found.map(({ purchases }) => purchases.map((purchase) => purchase.purchaseId)) })}\n`,
);
if (!process.argv.includes('hold')) {
  await third[Symbol.asyncDispose]();
  await second.stop();
}
