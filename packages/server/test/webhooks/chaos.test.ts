// Deliveries of servers that are killed, to a receiver that hangs, resets the connection or fails on a third of the calls.

import { randomInt } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { ClientConfig } from 'pg';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../../test/support/harness.ts';
import { listenOnLoopback } from '../../../../test/support/loopback.ts';
import { query } from '../../../../test/support/query.ts';
import { type OpentillProcess, startOpentill } from '../../../../test/support/start/opentill-process.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { systemClock } from '../../src/runtime/clock.ts';

const program = fileURLToPath(new URL('./hooked-server.ts', import.meta.url));

/** Events of one purchase: it is recorded, consumed and voided. */
const types: readonly (string | undefined)[] = ['purchase.completed', 'purchase.consumed', 'purchase.voided'];

const appCount = 3;
const purchasesOfApp = 20;
const events = appCount * purchasesOfApp * types.length;
const serverCount = 2;
const kills = 3;
const attemptMs = 400;

/** Fewer calls of an event than its delivery has attempts, so that no delivery ends up dead. */
const troublesMax = 4;

test('every event arrives, in order for each purchase, and each duplicate equals the first call', async () => {
  await using database = await freshDatabase();
  const { connection } = database;
  await using receiver = await startChaosReceiver();
  await fill(connection, receiver.url);
  await using servers = new AsyncDisposableStack();
  const args = [JSON.stringify({ connection, attemptMs })];
  const env = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
  const startOne = async (): Promise<OpentillProcess> => {
    const server = servers.use(startOpentill({ program, args, env }));
    await server.ready();
    return server;
  };
  const living = await Promise.all(Array.from({ length: serverCount }, startOne));
  let killed = 0;
  const killOne = async (): Promise<void> => {
    const place = randomInt(living.length);
    killed += 1;
    await living[place]?.kill();
    // Otherwise the leases of the dead server would have to expire.
    await endLeases(connection);
    living[place] = await startOne();
  };
  const isDone = async (): Promise<boolean> => {
    const delivered = await countDelivered(connection);
    if (delivered === events) return true;
    await passAnHour(connection);
    // The kills are spread over the whole run.
    if (killed < kills && delivered >= (events * (killed + 1)) / (kills + 1)) await killOne();
    return false;
  };
  await waitFor(isDone, { what: 'that every event is delivered' });
  expect(killed).toBe(kills);
  const { doubles, ...seen } = receiver.report();
  expect(seen).toMatchObject({ acknowledged: events, altered: 0, overtaking: 0 });
  // A third of the calls fail, so there are duplicates to check.
  expect(doubles).toBeGreaterThan(30);
});

interface Seen {
  readonly body: string;
  troubles: number;
  isAcknowledged: boolean;
}

async function startChaosReceiver() {
  const seen = new Map<string, Seen>();
  /** The number of acknowledged events of each purchase, in order. */
  const progress = new Map<string, number>();
  /** Duplicates whose body differs, and events that arrived before an earlier one of their purchase was acknowledged. */
  const counts = { calls: 0, altered: 0, overtaking: 0 };

  const take = (id: string, body: string): Seen => {
    counts.calls += 1;
    const before = seen.get(id);
    if (before !== undefined) {
      if (before.body !== body) counts.altered += 1;
      return before;
    }
    const { purchase, place } = placeOf(body);
    if ((progress.get(purchase) ?? 0) < place) counts.overtaking += 1;
    const fresh = { body, troubles: 0, isAcknowledged: false };
    seen.set(id, fresh);
    return fresh;
  };
  const acknowledge = (call: Seen): void => {
    if (call.isAcknowledged) return;
    call.isAcknowledged = true;
    const { purchase, place } = placeOf(call.body);
    progress.set(purchase, Math.max(progress.get(purchase) ?? 0, place + 1));
  };

  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const call = take(String(request.headers['webhook-id']), body);
      if (call.troubles < troublesMax && randomInt(3) === 0) {
        call.troubles += 1;
        trouble(response);
      } else {
        acknowledge(call);
        response.writeHead(200).end('ok');
      }
    });
  });
  const { port, [Symbol.asyncDispose]: close } = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    report: () => ({
      ...counts,
      acknowledged: [...seen.values()].filter(({ isAcknowledged }) => isAcknowledged).length,
      doubles: counts.calls - seen.size,
    }),
    [Symbol.asyncDispose]: close,
  };
}

function placeOf(body: string): { readonly purchase: string; readonly place: number } {
  const { packageName, purchaseId, type } = JSON.parse(body) as Record<string, string>;
  return { purchase: `${packageName}/${purchaseId}`, place: types.indexOf(type) };
}

function trouble(response: ServerResponse): void {
  switch (randomInt(3)) {
    // No response.
    case 0:
      return;
    case 1:
      response.socket?.resetAndDestroy();
      return;
    default:
      response.writeHead(500).end('oh');
  }
}

/** Creates apps with webhooks and frozen clocks, and the events of their purchases. */
async function fill(connection: ClientConfig, url: string): Promise<void> {
  const now = systemClock.now();
  const perApp = purchasesOfApp * types.length;
  await query(
    connection,
    `insert into app (package_name, client_id, app_number, client_secret_hash, created_at)
      select 'com.chaos.app' || a, 'com.chaos.app' || a, a, '\\x00', ${now} from generate_series(1, ${appCount}) a;
    insert into app_clock (package_name, mode, real_time, app_time)
      select package_name, 'frozen', ${now}, ${now} from app;
    insert into app_counter (package_name, event_order) select package_name, ${perApp} from app;
    insert into purchase (package_name, purchase_id, product_id, purchase_time, developer_payload, price, currency)
      select package_name, 'P-' || n, 'coins', ${now}, 'payload-' || n, 499, 'EUR'
      from app, generate_series(1, ${purchasesOfApp}) n;
    insert into event (package_name, event_order, type, event_time, purchase_id, product_id, made_by, request_id)
      select package_name, (n - 1) * ${types.length} + place, type, ${now}, 'P-' || n, 'coins', 'app', 'r-' || n
      from app, generate_series(1, ${purchasesOfApp}) n,
        unnest(array['${types.join("', '")}']) with ordinality as t (type, place);
    insert into webhook (package_name, url, secret, cursor_order, created_at, updated_at)
      select package_name, '${url}' || package_name, decode(repeat('07', 32), 'hex'), 0, ${now}, ${now} from app;`,
  );
}

async function countDelivered(connection: ClientConfig): Promise<number> {
  const text = `select count(*)::integer as count from webhook_delivery where state = 'delivered'`;
  return (await query(connection, text))[0]?.['count'];
}

/** Advances the apps in which deliveries wait and none is due, so that the waiting ones become due. */
async function passAnHour(connection: ClientConfig): Promise<void> {
  await query(
    connection,
    `update app_clock c set app_time = app_time + 3600000 from (
        select package_name, min(due_time) as due_time from webhook_delivery where state = 'waiting' group by 1) d
      where d.package_name = c.package_name and d.due_time > c.app_time`,
  );
}

/** Also ends leases of living servers, which notice when they write; others repeat their deliveries. */
async function endLeases(connection: ClientConfig): Promise<void> {
  await query(connection, 'update webhook set lease_until = 0 where lease_until is not null');
}
