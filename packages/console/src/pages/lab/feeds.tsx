// What happened: the latest events with their deliveries; and what the backend asked: its latest calls of the purchase API
// with their responses, and how to fix those that have a hint. Both are newest first, and kept up to date.

import { Box, Text } from '@mantine/core';
import type { Delivery, Event, LoggedRequest } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useConnection } from '../../api/connection.ts';
import type { Search } from '../../filters/filter-fields.ts';
import { FilterBar, FilteredToNothing, isFiltered } from '../../filters/filters.tsx';
import { requestFields } from '../../filters/page-filters.ts';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel, type PanelState } from '../../parts/panel.tsx';
import { EventSentence } from '../../parts/sentence.tsx';
import { DeliveryState, lastResponseOf, State } from '../../parts/states.tsx';
import { Id } from '../../values/id.tsx';
import { Instant, TimeFormatContext } from '../../values/instant.tsx';
import { loadEvents } from '../apps/app-events.tsx';
import { FeedEntry, JsonText } from './feed-entry.tsx';
import { labEveryMs, useLab, useLabQuery } from './lab-context.ts';

/** Older ones are on the pages of the app. */
const entriesMax = 50;

interface FeedProps {
  readonly title: string;
  readonly label: string;
  readonly state: PanelState;
  /** Above the entries. */
  readonly head?: ReactNode;
  readonly children: ReactNode;
  readonly foot?: ReactNode;
}

/** Calls follow each other within seconds. */
const timeFormat = { hasZone: false, hasSeconds: true } as const;

function Feed({ title, label, state, head, children, foot }: FeedProps) {
  const { isLost } = useConnection();
  return (
    <Panel title={title} note={isLost ? 'Not live: no response' : 'Live'} state={state}>
      {head}
      <TimeFormatContext value={timeFormat}>
        <Box component="ul" aria-label={label} p={0} m={0}>
          {children}
        </Box>
      </TimeFormatContext>
      {foot}
    </Panel>
  );
}

export function EventsPanel() {
  const { packageName } = useLab();
  const events = useQuery({
    queryKey: ['lab-events', packageName],
    queryFn: ({ signal }) => loadEvents(packageName, { pageSize: entriesMax, pageToken: undefined }, signal),
    refetchInterval: labEveryMs,
  });
  const deliveries = useLabQuery('listDeliveries', { packageName, pageSize: entriesMax });
  const byId = new Map((deliveries.data?.deliveries ?? []).map((delivery) => [delivery.id, delivery]));
  const shown = events.data?.events ?? [];
  return (
    <Feed
      title="What happened"
      label="Events"
      state={events}
      head={
        shown.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing has happened yet. Events appear here as they are written.
          </Text>
        )
      }
      foot={
        shown.length > 0 && (
          <PageLink {...linkTo.app(packageName, 'events')} size="sm">
            All events
          </PageLink>
        )
      }
    >
      {shown.map((event) => (
        <EventEntry key={event.id} event={event} delivery={byId.get(event.id)} />
      ))}
    </Feed>
  );
}

interface EventEntryProps {
  readonly event: Event;
  readonly delivery: Delivery | undefined;
}

function EventEntry({ event, delivery }: EventEntryProps) {
  const { packageName } = useLab();
  const purchaseId = 'purchaseId' in event ? event.purchaseId : undefined;
  const attempt = delivery?.attempts.at(-1);
  return (
    <FeedEntry
      title={<EventSentence type={event.type} />}
      time={
        <>
          <Instant ms={event.eventTime} />
          {purchaseId !== undefined && (
            <>
              {' '}
              <bdi style={{ overflowWrap: 'anywhere' }}>{purchaseId}</bdi>
            </>
          )}
        </>
      }
      badges={delivery !== undefined && <DeliveryState state={delivery.state} />}
    >
      {purchaseId !== undefined && (
        <Id value={purchaseId} what="purchase id" wraps link={linkTo.purchase({ packageName, purchaseId })} />
      )}
      {delivery !== undefined && (
        <>
          <Text size="sm">
            {attempt === undefined
              ? 'The webhook was not called yet.'
              : `The webhook: ${lastResponseOf({ attempts: [attempt] })}, after ${Math.round(attempt.latencyMs)} ms.`}
          </Text>
          <Id value={delivery.id} what="delivery id" wraps link={linkTo.delivery(packageName, delivery.id)} />
        </>
      )}
      <JsonText value={event} />
    </FeedEntry>
  );
}

export function RequestsPanel({ search }: { readonly search: Search }) {
  const { packageName } = useLab();
  const { operationId, status } = search;
  const requests = useLabQuery('listRequests', {
    ...{ packageName, operationId, pageSize: entriesMax },
    status: status === undefined ? undefined : Number(status),
  });
  const shown = requests.data?.requests ?? [];
  const filter = { fields: requestFields, search };
  const empty = isFiltered(filter) ? (
    <FilteredToNothing {...filter} />
  ) : (
    <Text size="sm" c="dimmed">
      Calls of the purchase API with a token of this app appear here.
    </Text>
  );
  return (
    <Feed
      title="Requests from your backend"
      label="Requests"
      state={requests}
      head={
        <>
          <FilterBar {...filter} />
          {shown.length === 0 && empty}
        </>
      }
    >
      {shown.map((request) => (
        <RequestEntry key={request.requestId} request={request} />
      ))}
    </Feed>
  );
}

function RequestEntry({ request }: { readonly request: LoggedRequest }) {
  const { operationId, httpStatus, errorCode, fault, hints, time, latencyMs } = request;
  const code = errorCode === undefined || errorCode === httpStatus ? '' : ` ${errorCode}`;
  return (
    <FeedEntry
      title={operationId}
      time={
        <>
          <Instant ms={time} />, {Math.round(latencyMs)} ms
        </>
      }
      badges={
        <>
          {fault !== undefined && <State tone="info">fault {fault + 1}</State>}
          {hints[0] !== undefined && <State tone="waiting">{hints[0].hint}</State>}
          <State tone={httpStatus === undefined || httpStatus >= 400 ? 'bad' : 'good'}>
            {httpStatus === undefined ? 'no response' : `${httpStatus}${code}`}
          </State>
        </>
      }
    >
      <RequestDetails request={request} />
    </FeedEntry>
  );
}

/** A logged call with its cause and its response. */
function RequestDetails({ request }: { readonly request: LoggedRequest }) {
  const { method, path, response, isResponseCut, cause, hints, requestId } = request;
  return (
    <>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {method} <bdi>{path}</bdi>
      </Text>
      {cause !== undefined && (
        <Text size="sm" fw={500}>
          Why? <bdi>{cause}</bdi>
        </Text>
      )}
      {hints
        .filter(({ explanation }) => explanation !== cause)
        .map(({ hint, explanation }) => (
          <Text key={hint} size="sm">
            {explanation}
          </Text>
        ))}
      {response !== '' && (
        <JsonText value={isResponseCut ? `${response}... (truncated)` : parsed(response)} />
      )}
      <Id value={requestId} what="request id" wraps />
    </>
  );
}

/** The response of an operation is JSON, but that of a fault may be empty. */
function parsed(response: string): unknown {
  try {
    return JSON.parse(response);
  } catch {
    return response;
  }
}
