// Deliveries in the worst of conditions, and what must hold all the same: a receiver that hangs, resets, fails or
// answers late for a third of the calls, and servers that are killed. Small on every run, in full by
// bench/chaos.ts.

import { randomInt } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { OpenTillError } from '@opentill/client';
import { OperatorClient } from '@opentill/client/operator';
import { timestampMin } from '@opentill/contract/fields.ts';
import type { ClientConfig } from 'pg';
import { query } from '../embedded/scratch.ts';
import { listenOnLoopback } from '../loopback.ts';
import type { OpentillProcess } from '../start/opentill-process.ts';
import { waitFor } from '../wait-for.ts';

/** A late answer comes so long after the end of its attempt, in ms, that a busy server has noticed the end. */
const lateMs = 3_000;

/** Events of one purchase: it is recorded, consumed and voided. */
const types: readonly (string | undefined)[] = ['purchase.completed', 'purchase.consumed', 'purchase.voided'];

export interface ChaosPlan {
  readonly connection: ClientConfig;
  readonly appCount: number;
  readonly purchasesOfApp: number;
  /** An attempt ends after this time, in ms: what is late is later. */
  readonly attemptMs: number;
  /** Starts a server that delivers. */
  readonly start: () => OpentillProcess;
  readonly operatorKey: string;
  readonly serverCount: number;
  readonly kills: number;
  /** Whether a kill ends the leases of the dead server at once, instead of after their time. */
  readonly endsLeases: boolean;
  readonly deadlineMs: number;
  readonly onProgress?: (delivered: number) => void;
}

export interface ChaosReport {
  readonly events: number;
  /** Events that were answered with a status of 200 in time. */
  readonly acknowledged: number;
  readonly calls: number;
  /** Calls beyond the first of their event. */
  readonly doubles: number;
  /** Doubles that differ from the first call in their body. */
  readonly altered: number;
  /** Events that came for the first time before an earlier one of their purchase had been acknowledged. */
  readonly overtaking: number;
  readonly killed: number;
  /** Events that were given up: later ones of their purchases may then overtake them. */
  readonly died: number;
  /** Of webhook_delivery. */
  readonly states: Readonly<Record<string, number>>;
}

export async function runChaos(plan: ChaosPlan): Promise<ChaosReport> {
  await using receiver = await startChaosReceiver(plan.attemptMs);
  await fill(plan, receiver.url);
  const events = plan.appCount * plan.purchasesOfApp * types.length;
  await using servers = new AsyncDisposableStack();
  const startOne = async (): Promise<OpentillProcess> => {
    const server = servers.use(plan.start());
    await server.ready();
    return server;
  };
  const living = await Promise.all(Array.from({ length: plan.serverCount }, startOne));
  let killed = 0;
  let died = 0;
  const killOne = async (): Promise<void> => {
    const place = randomInt(living.length);
    killed += 1;
    await living[place]?.kill();
    if (plan.endsLeases) await endLeases(plan.connection);
    living[place] = await startOne();
  };
  const isDone = async (): Promise<boolean> => {
    const { delivered = 0, dead = 0 } = await countStates(plan.connection);
    plan.onProgress?.(delivered);
    if (delivered === events) return true;
    died += dead;
    if (dead > 0 && living[0] !== undefined) await reviveDead(living[0], plan);
    await passAnHour(plan.connection);
    // Spread over the whole run.
    if (killed < plan.kills && delivered >= (events * (killed + 1)) / (plan.kills + 1)) await killOne();
    return false;
  };
  await waitFor(isDone, { deadlineMs: plan.deadlineMs, what: 'that every event is delivered' });
  return { events, killed, died, ...receiver.report(), states: await countStates(plan.connection) };
}

interface ChaosReceiver extends AsyncDisposable {
  readonly url: string;
  report(): Pick<ChaosReport, 'acknowledged' | 'calls' | 'doubles' | 'altered' | 'overtaking'>;
}

interface Seen {
  readonly body: string;
  isAcknowledged: boolean;
}

async function startChaosReceiver(attemptMs: number): Promise<ChaosReceiver> {
  const seen = new Map<string, Seen>();
  /** By purchase, how many of its events have been acknowledged in a row. */
  const progress = new Map<string, number>();
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
    const fresh = { body, isAcknowledged: false };
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
      if (randomInt(3) === 0) trouble(response, attemptMs);
      else {
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

function trouble(response: ServerResponse, attemptMs: number): void {
  switch (randomInt(4)) {
    // It hangs.
    case 0:
      return;
    case 1:
      response.socket?.resetAndDestroy();
      return;
    case 2:
      response.writeHead(500).end('oh');
      return;
    // It answers when nobody listens.
    default:
      AbortSignal.timeout(attemptMs + lateMs).addEventListener('abort', () =>
        response.writeHead(200).end('late'),
      );
  }
}

/** Apps with a webhook, whose clocks stand, and the events of their purchases. */
async function fill({ connection, appCount, purchasesOfApp }: ChaosPlan, url: string): Promise<void> {
  const now = Date.now();
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

async function countStates(connection: ClientConfig): Promise<Record<string, number>> {
  const rows = await query(
    connection,
    'select state, count(*)::integer as count from webhook_delivery group by state',
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** In apps where something waits, and all that was due has been tried: what waits is due some hours later. */
async function passAnHour(connection: ClientConfig): Promise<void> {
  await query(
    connection,
    `update app_clock c set app_time = app_time + 3600000 from (
        select package_name, min(due_time) as due_time from webhook_delivery where state = 'waiting' group by 1) d
      where d.package_name = c.package_name and d.due_time > c.app_time`,
  );
}

/** Of all events a third to the power of 13 dies by chance. */
async function reviveDead(
  server: OpentillProcess,
  { appCount, operatorKey }: Pick<ChaosPlan, 'appCount' | 'operatorKey'>,
): Promise<void> {
  const { operatorUrl: host } = await server.ready();
  const operator = new OperatorClient({ host, operatorKey });
  for (let app = 1; app <= appCount; app += 1) {
    try {
      await operator.redeliverFailed({ packageName: `com.chaos.app${app}`, since: timestampMin });
    } catch (error) {
      // A busy machine; what is still dead comes here again.
      if (!(error instanceof OpenTillError && error.httpStatus === 503)) throw error;
    }
  }
}

/** Also of servers that live: they find out as they write, and others repeat what they have sent. */
async function endLeases(connection: ClientConfig): Promise<void> {
  await query(connection, 'update webhook set lease_until = 0 where lease_until is not null');
}
