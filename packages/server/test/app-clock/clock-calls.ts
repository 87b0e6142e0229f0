// Calls on the clock of an app, and what the database holds of its history.

import { advanceClock } from '@opentill/contract/sandbox-api/advanceClock.ts';
import { getClock } from '@opentill/contract/sandbox-api/getClock.ts';
import { putClock } from '@opentill/contract/sandbox-api/putClock.ts';
import type { RunningServer } from '../../src/server.ts';
import { query } from '../embedded/scratch.ts';
import type { Answer, TestApp } from '../harness.ts';
import { callSandbox } from '../operator-api/checked-call.ts';

type App = Pick<TestApp, 'token'>;

export async function freeze(server: RunningServer, app: App): Promise<void> {
  await setClock(server, app, { mode: 'frozen' });
}

export async function setClock(
  server: RunningServer,
  app: App,
  body: { readonly mode: 'running' | 'frozen'; readonly rate?: number },
): Promise<Answer> {
  const answer = await callSandbox(server, putClock, { key: app.token, body });
  if (answer.status !== 200) throw new Error(`putClock: ${answer.text}`);
  return answer;
}

export async function readClock(
  server: RunningServer,
  app: App,
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
): Promise<any> {
  return (await callSandbox(server, getClock, { key: app.token })).body;
}

/** Any answer. */
export function tryAdvance(
  server: RunningServer,
  app: App,
  body: { readonly by?: string; readonly to?: number },
): Promise<Answer> {
  return callSandbox(server, advanceClock, { key: app.token, body });
}

export async function advance(
  server: RunningServer,
  app: App,
  body: { readonly by?: string; readonly to?: number },
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
): Promise<any> {
  const answer = await tryAdvance(server, app, body);
  if (answer.status !== 200) throw new Error(`advanceClock: ${answer.text}`);
  return answer.body;
}

/** An event without what is drawn: the ids of later months, requests. */
export interface ToldEvent {
  readonly type: string;
  readonly time: number;
  readonly subscription: string | null;
}

export async function eventsOf(connection: object, packageName: string): Promise<ToldEvent[]> {
  const rows = await query(
    connection,
    `select type, event_time as time, coalesce(first_purchase_id, purchase_id) as subscription from event
      where package_name = '${packageName}' order by event_order`,
  );
  return rows.map((row) => ({ ...row, time: Number(row['time']) }) as ToldEvent);
}

/** All that is kept of an app's subscriptions, without ids that are drawn. */
export async function historyOf(
  connection: object,
  packageName: string,
): Promise<{ readonly events: ToldEvent[]; readonly months: unknown[]; readonly subscriptions: unknown[] }> {
  const months = await query(
    connection,
    `select first_purchase_id, period_index, start_time, expiry_time, purchase_time, price, voided_time
      from purchase where package_name = '${packageName}' order by first_purchase_id, period_index`,
  );
  const subscriptions = await query(
    connection,
    `select first_purchase_id, auto_renewing, cancel_reason, cancelled_time, expiry_time, next_payment_time,
        last_period_index, last_start_time, terminated_time, due_time
      from subscription where package_name = '${packageName}' order by first_purchase_id`,
  );
  return { events: await eventsOf(connection, packageName), months, subscriptions };
}
