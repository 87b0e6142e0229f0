// What happened: the latest events, newest first and as they happen, each with its delivery.

import { Text } from '@mantine/core';
import type { Delivery, Event } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deliveriesQuery } from '../../api/lab.ts';
import { latestEventsQuery } from '../../api/live-events.ts';
import { DeliveryState } from '../../parts/delivery-state.tsx';
import { Id } from '../../parts/id.tsx';
import { Instant } from '../../parts/instant.tsx';
import { lastResponseOf } from '../../parts/last-attempt.ts';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { EventSentence } from '../../parts/sentence.tsx';
import { JsonText } from './act-result.tsx';
import { Feed, FeedEntry, feedStep } from './feed-entry.tsx';
import { useLab, useLiveNote } from './lab-context.ts';

export function EventsPanel() {
  const { packageName } = useLab();
  const events = useQuery(latestEventsQuery(packageName));
  const deliveries = useQuery(deliveriesQuery(packageName));
  const note = useLiveNote();
  const [shownMax, setShownMax] = useState(feedStep);
  const byId = new Map((deliveries.data?.deliveries ?? []).map((delivery) => [delivery.id, delivery]));
  const all = events.data?.events ?? [];
  const hasOlder = all.length > shownMax;
  return (
    <Panel title="What happened" note={note} state={events}>
      {all.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing has happened yet. Events appear here as they are written.
        </Text>
      )}
      <Feed label="Events" onOlder={hasOlder ? () => setShownMax(shownMax + feedStep) : undefined}>
        {all.slice(0, shownMax).map((event) => (
          <EventEntry key={event.id} event={event} delivery={byId.get(event.id)} />
        ))}
      </Feed>
      {all.length > 0 && !hasOlder && (
        <PageLink {...linkTo.app(packageName, 'events')} size="sm">
          All events
        </PageLink>
      )}
    </Panel>
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
