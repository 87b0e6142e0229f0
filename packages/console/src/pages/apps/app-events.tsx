// The events of an app, newest first. The operation lists them oldest first, so a page asks for the positions before the
// previous page.

import type { Event } from '@opentill/client/operator';
import { useParams, useSearch } from '@tanstack/react-router';
import { client, hasStatus } from '../../api/client.ts';
import { noFields } from '../../filters/page-filters.ts';
import { Empty } from '../../parts/empty.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { EventSentence } from '../../parts/sentence.tsx';
import { Id } from '../../values/id.tsx';

interface Page {
  readonly pageSize: number;
  /** The order of the last event of the page; undefined: the latest one. */
  readonly pageToken: string | undefined;
}

/** Where retention has removed events, the page starts with the oldest retained one. */
export async function loadEvents(packageName: string, { pageSize, pageToken }: Page, signal: AbortSignal) {
  const last = pageToken === undefined ? await lastOrderOf(packageName, signal) : Number(pageToken);
  const after = last - pageSize;
  const next = { packageName, after: String(after), pageSize };
  // A token of the address that is no number is rejected by the server.
  const found = after <= 0 ? undefined : await client.listEvents(next, { signal }).catch(ifRemoved);
  const { events } = found ?? (await client.listEvents({ packageName, pageSize }, { signal }));
  const shown = events.filter(({ order }) => order <= last).toReversed();
  return { events: shown, ...(found !== undefined && { nextPageToken: String(after) }) };
}

function ifRemoved(error: unknown): undefined {
  if (!hasStatus(error, 410)) throw error;
}

async function lastOrderOf(packageName: string, signal: AbortSignal): Promise<number> {
  const { cursor } = await client.listEvents({ packageName, after: 'now' }, { signal });
  return Number(/^(?:evt_)?(\d+)/.exec(cursor)?.[1] ?? 0);
}

export function AppEvents() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const search = useSearch({ from: '/frame/apps/$packageName/events' });
  return (
    <PageList
      label="Events"
      fields={noFields}
      search={search}
      rows="events"
      load={(_client, page, { signal }) => loadEvents(packageName, page, signal)}
      save={(client) => client.listEvents({ packageName })}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Number', cell: ({ order }) => order, align: 'right' },
        { title: 'Time', clock: 'app', time: ({ eventTime }) => eventTime },
        { title: 'Event', cell: ({ type }) => <EventSentence type={type} /> },
        { title: 'Purchase', cell: purchaseCell },
        { title: 'Id', cell: ({ id }) => <Id value={id} what="event id" /> },
      ]}
      empty={<Empty text="Nothing has happened in this app yet: a recorded purchase is an event." />}
      fileName={`events-of-${packageName}`}
    />
  );
}

function purchaseCell(event: Event) {
  if (!('purchaseId' in event)) return null;
  return (
    <PageLink {...linkTo.purchase(event)} inherit>
      <bdi>{event.purchaseId}</bdi>
    </PageLink>
  );
}
