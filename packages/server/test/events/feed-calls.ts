// Calls of the feed by a developer's backend; each response is checked against the contract.

import type { EventPage } from '@opentill/contract/event-feed.ts';
import type { Event } from '@opentill/contract/events.ts';
import { listEvents } from '@opentill/contract/events-api/listEvents.ts';
import { expect } from 'vitest';
import {
  call,
  type HttpResponse,
  recordTestPurchase,
  type TestApp,
  type TestServer,
} from '../../../../test/support/harness.ts';
import { expectAsListed } from '../../../../test/support/http/purchase-call.ts';
import { query } from '../../../../test/support/query.ts';
import type { ServerAddress } from '../../../../test/support/start/opentill-process.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';

type Query = Readonly<Record<string, string | number>>;
type Caller = Pick<TestApp, 'token'>;

/** Returns any response. */
export async function tryListEvents(
  server: ServerAddress,
  { token }: Caller,
  query: Query = {},
): Promise<HttpResponse> {
  const parameters = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const url = `${server.publicUrl}${listEvents.path}?${new URLSearchParams(parameters)}`;
  const response = await call(url, { headers: { authorization: `Bearer ${token}` } });
  expectAsListed(listEvents, response);
  return response;
}

export async function eventPage(server: ServerAddress, app: Caller, query: Query = {}): Promise<EventPage> {
  const response = await tryListEvents(server, app, query);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

/** Records purchases of `coins`, each of which is an event. */
export async function recordAll(
  server: ServerAddress,
  app: Pick<TestApp, 'packageName'>,
  ...purchaseIds: readonly string[]
): Promise<void> {
  for (const purchaseId of purchaseIds) await recordTestPurchase(server, app, { purchaseId });
}

/** Removes the events of an app up to an order, like the retention of events. */
export async function removeUntil(
  { connection }: Pick<TestServer, 'connection'>,
  { packageName }: Pick<TestApp, 'packageName'>,
  order: number,
): Promise<void> {
  const text = 'delete from event where package_name = $1 and event_order <= $2';
  await query(connection, text, [packageName, order]);
}

export const ordersOf = (events: readonly Event[]): number[] => events.map(({ order }) => order);

/** Reads all events after a position, page by page. */
export async function walkEvents(
  server: ServerAddress,
  app: Caller,
  { after, pageSize = 50 }: { readonly after?: string; readonly pageSize?: number } = {},
): Promise<Event[]> {
  const events: Event[] = [];
  let cursor = after;
  for (;;) {
    const query = { pageSize, ...(cursor !== undefined && { after: cursor }) };
    const page = await eventPage(server, app, query);
    events.push(...page.events);
    cursor = page.cursor;
    if (!page.hasMore) return events;
  }
}

/** Resolves when `count` calls wait on a server. */
export async function untilWaiting(server: ServerAddress, count: number): Promise<void> {
  const isSo = async () => {
    const { text } = await call(`${server.operatorUrl}/metrics`);
    return text.includes(`\nopentill_event_waiters ${count}\n`);
  };
  await waitFor(isSo, { what: `${count} calls wait` });
}
