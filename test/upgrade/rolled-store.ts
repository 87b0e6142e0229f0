// A store behind HAProxy, and the load that it has while it is updated: sales, reads, consumes, renewals and deliveries.

import { networkInterfaces } from 'node:os';
import type { ClientConfig } from 'pg';
import { systemClock } from '../../packages/server/src/runtime/clock.ts';
import { haproxy } from '../interop/programs.ts';
import { createProxiedApp, load, type ProxiedApp } from '../interop/proxied-app.ts';
import { newPlaces, startProxy, startServers } from '../interop/proxied-store.ts';
import { query } from '../support/query.ts';
import { auditSubscriptions } from '../support/renewals/subscription-audit.ts';
import { gatewaySecretText, startTestGateway } from '../support/renewals/test-gateway.ts';
import { waitFor } from '../support/wait-for.ts';
import { startTestReceiver } from '../support/webhooks/test-receiver.ts';

/** A subscription is recorded when its first period has this much time left, and is renewed soon. */
const leftMs = 3_000;
const weekMs = 7 * 86_400_000;

/** Reads after each recorded subscription. */
const readsBetween = 10;

const weekly = { type: 'subscription', period: 'P1W', price: 499, currency: 'EUR' } as const;

/** Not of the loopback network, to which a server behind a proxy delivers nothing. */
function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((of) => of ?? []);
  const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (own === undefined) throw new Error('This machine has no address but those of the loopback network.');
  return own.address;
}

/** Starts both servers of the former version, in production. */
export async function startRolledStore({
  connection,
  program,
}: {
  connection: ClientConfig;
  program: string;
}) {
  await using starting = new AsyncDisposableStack();
  const gateway = starting.use(await startTestGateway());
  const host = ownAddress();
  const receiver = starting.use(await startTestReceiver({ tls: true, host }));
  const env = {
    OPENTILL_ENVIRONMENT: 'production',
    OPENTILL_TIME_ZONE: 'UTC',
    OPENTILL_TRUSTED_PROXIES: 'loopback',
    OPENTILL_WEBHOOK_ALLOW: `${host}/32`,
    // The certificate of the receiver has another name.
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    OPENTILL_PAYMENT_GATEWAY_URL: gateway.url,
    OPENTILL_PAYMENT_GATEWAY_SECRET: gatewaySecretText,
  };
  const places = await newPlaces();
  const servers = starting.use(await startServers(places, { connection, program, env }));
  const proxy = starting.use(await startProxy(haproxy, places));
  const started = starting.move();
  return {
    env,
    gateway,
    receiver,
    servers,
    proxy,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export type RolledStore = Awaited<ReturnType<typeof startRolledStore>>;

/** Starts the load on a new app. */
export async function startLoad(store: RolledStore) {
  const { receiver, proxy } = store;
  const app = await createProxiedApp(proxy, 'com.example.loaded');
  const path = `/apps/${app.packageName}`;
  await app.operate('PUT', `${path}/products/weekly`, weekly);
  await app.operate('PUT', `${path}/webhook`, { url: receiver.url });
  const loading = load(app);
  const over = new AbortController();
  const renewing = subscribe(app, loading, over.signal);
  return {
    failed: loading.failed,
    slowestMs: loading.slowestMs,
    goOn: loading.goOn,
    /** Ends the load, waits for what follows from it, and returns what is wrong and what has happened. */
    async end(connection: ClientConfig) {
      over.abort();
      const subscriptions = await renewing;
      const calls = await loading.end();
      await waitFor(() => isRenewed(connection, app), { what: 'subscriptions that are all renewed' });
      const events = await countEvents(connection, app);
      const received = () => new Set(receiver.received.map(({ id }) => id)).size;
      await waitFor(() => received() >= events, { what: 'deliveries of all events' });
      const sold = (calls - subscriptions * (1 + readsBetween)) / 4;
      const problems = await problemsOf(store, { connection, app, sold });
      const deliveries = { received: received(), again: receiver.received.length - received() };
      return { problems, calls, slowestMs: loading.slowestMs(), sold, subscriptions, events, ...deliveries };
    },
  };
}

async function subscribe(
  { packageName, operate, call }: ProxiedApp,
  loading: ReturnType<typeof load>,
  over: AbortSignal,
) {
  let count = 0;
  for (; !over.aborted; count += 1) {
    const purchaseId = `S-${count}`;
    const purchase = { productId: 'weekly', purchaseId, purchaseTime: systemClock.now() + leftMs - weekMs };
    await loading.expectResponse('201', operate('POST', `/apps/${packageName}/purchases`, purchase));
    for (let read = 0; read < readsBetween; read += 1) {
      await loading.expectResponse('200', call('GET', `recurring-details/S-${count - (count % 5)}`));
    }
  }
  return count;
}

async function isRenewed(connection: ClientConfig, { packageName }: ProxiedApp): Promise<boolean> {
  const text = 'select from subscription where package_name = $1 and last_period_index = 0 limit 1';
  return (await query(connection, text, [packageName])).length === 0;
}

async function countEvents(connection: ClientConfig, { packageName }: ProxiedApp): Promise<number> {
  const text = 'select count(*)::int as count from event where package_name = $1';
  return (await query(connection, text, [packageName]))[0]?.count;
}

/** What the calls were told, and the database does not have; and what was charged otherwise than once. */
async function problemsOf(
  { gateway }: RolledStore,
  { connection, app: { packageName }, sold }: { connection: ClientConfig; app: ProxiedApp; sold: number },
): Promise<readonly string[]> {
  const [stored] = await query(
    connection,
    `select count(*)::int as sold, count(consumed_time)::int as consumed, (select count(*)::int from event e
        where e.package_name = $1 and e.type = 'purchase.consumed') as told
      from purchase where package_name = $1 and product_id = 'coins'`,
    [packageName],
  );
  const expected = JSON.stringify({ sold, consumed: sold, told: sold });
  const found = JSON.stringify(stored);
  const { problems } = await auditSubscriptions(connection, gateway.taken, systemClock.now());
  return [
    ...(found === expected ? [] : [`expected ${expected}, got ${found}`]),
    ...problems.filter((problem) => problem.includes(packageName)),
  ];
}
