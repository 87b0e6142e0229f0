// npm run bench:clock: advances an app with 10,240 subscriptions by 12 months in one call, and measures how long a
// sandbox takes to start in a test process.

import { startSandbox } from '../packages/server/src/testing.ts';
import { createApps, operate, recordPurchases, withSubscriptions } from './apps.ts';
import { median, report } from './report.ts';
import { startBench } from './servers.ts';

const subscriptions = 10_240;
const months = 12;
/** Start dates are spread over 27 days, which every month has. */
const spreadMs = 27 * 24 * 60 * 60 * 1_000;
const furtherSandboxes = 9;
const targets = { seconds: 60, memoryMib: 300, startMs: 300 } as const;

async function advanceYear(): Promise<void> {
  await using bench = await startBench();
  const server = await bench.startServer({ OPENTILL_ENVIRONMENT: 'sandbox' });
  const packageName = 'com.bench.clock';
  const apps = await createApps(server, [packageName], withSubscriptions);
  const { now } = await operate(server, 'PUT', `/apps/${packageName}/clock`, { mode: 'frozen' });
  await recordPurchases(server, apps, 's', subscriptions, (n) => ({
    productId: 'monthly',
    purchaseTime: Number(now) - Math.floor((n * spreadMs) / subscriptions),
  }));
  const begun = performance.now();
  const { count } = await operate(server, 'POST', `/apps/${packageName}/clock/advance`, {
    by: `P${months}M`,
  });
  const seconds = (performance.now() - begun) / 1_000;
  if (count !== subscriptions * months)
    throw new Error(`expected ${subscriptions * months} renewals, got ${count}`);
  report(`${count} renewals of one app in one call, seconds`, seconds, { most: targets.seconds });
  const peakMib = await server.peakMemoryMib();
  if (peakMib !== undefined)
    report('largest resident memory of the server, MiB', peakMib, { most: targets.memoryMib });
}

async function startSandboxes(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const startMs = async (): Promise<number> => {
    const begun = performance.now();
    stack.use(await startSandbox());
    return performance.now() - begun;
  };
  report('start of the first sandbox of a process, ms', await startMs());
  const further = [];
  for (let n = 0; n < furtherSandboxes; n += 1) further.push(await startMs());
  report('start of a further sandbox, ms', median(further), { most: targets.startMs });
}

await startSandboxes();
await advanceYear();
