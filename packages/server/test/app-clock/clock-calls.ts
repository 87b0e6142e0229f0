// Calls on the clock of an app, and its stored history.

import { developerApi } from '@opentill/contract/developer-api.ts';
import type { HttpResponse, TestApp } from '../../../../test/support/harness.ts';
import { callDeveloper } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import type { ServerAddress } from '../../../../test/support/start/opentill-process.ts';

const { advanceClock, getClock, putClock } = developerApi;

type App = Pick<TestApp, 'token'>;

export async function freeze(server: ServerAddress, app: App): Promise<void> {
  await setClock(server, app, { mode: 'frozen' });
}

export async function setClock(
  server: ServerAddress,
  app: App,
  body: { readonly mode: 'running' | 'frozen'; readonly rate?: number },
): Promise<HttpResponse> {
  const response = await callDeveloper(server, putClock, { key: app.token, body });
  if (response.status !== 200) throw new Error(`putClock: ${response.text}`);
  return response;
}

export async function readClock(
  server: ServerAddress,
  app: App,
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
): Promise<any> {
  return (await callDeveloper(server, getClock, { key: app.token })).body;
}

/** Returns any response. */
export function tryAdvance(
  server: ServerAddress,
  app: App,
  body: { readonly by?: string; readonly to?: number },
): Promise<HttpResponse> {
  return callDeveloper(server, advanceClock, { key: app.token, body });
}

export async function advance(
  server: ServerAddress,
  app: App,
  body: { readonly by?: string; readonly to?: number },
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
): Promise<any> {
  const response = await tryAdvance(server, app, body);
  if (response.status !== 200) throw new Error(`advanceClock: ${response.text}`);
  return response.body;
}

/** An event without random values: request ids and the ids of later periods. */
export interface ToldEvent {
  readonly type: string;
  readonly time: number;
  readonly subscription: string | null;
}

export interface History {
  readonly events: readonly ToldEvent[];
  readonly periods: readonly { readonly expiry_time: number }[];
  readonly subscriptions: readonly object[];
}

/** Everything that is stored for an app's subscriptions, without random ids. */
export async function historyOf(connection: object, packageName: string): Promise<History> {
  const list = (columns: string, rest: string) =>
    `(select coalesce(json_agg(to_json(one)), '[]') from (select ${columns} from ${rest}) as one)`;
  const ofApp = `where package_name = '${packageName}'`;
  const [row] = await query(
    connection,
    `select
      ${list(
        'type, event_time as time, coalesce(first_purchase_id, purchase_id) as subscription',
        `event ${ofApp} order by event_order`,
      )} as events,
      ${list(
        'first_purchase_id, period_index, start_time, expiry_time, purchase_time, price, voided_time',
        `purchase ${ofApp} order by first_purchase_id, period_index`,
      )} as periods,
      ${list(
        `first_purchase_id, auto_renewing, cancel_reason, cancelled_time, expiry_time, next_payment_time,
          last_period_index, last_start_time, terminated_time, due_time`,
        `subscription ${ofApp} order by first_purchase_id`,
      )} as subscriptions`,
  );
  return row as unknown as History;
}

export async function eventsOf(connection: object, packageName: string): Promise<readonly ToldEvent[]> {
  return (await historyOf(connection, packageName)).events;
}
