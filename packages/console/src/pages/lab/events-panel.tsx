// What happened: the latest events, newest first and as they happen, each with its delivery.

import { Badge, Text } from '@mantine/core';
import type { Delivery, Event } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { deliveriesQuery } from '../../api/lab.ts';
import { latestEventsQuery } from '../../api/live-events.ts';
import { Id } from '../../parts/id.tsx';
import { Instant } from '../../parts/instant.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { JsonText } from './act-result.tsx';
import { Feed, FeedEntry } from './feed-entry.tsx';
import { useLab } from './lab-context.ts';

export function EventsPanel() {
  const { packageName } = useLab();
  const events = useQuery(latestEventsQuery(packageName));
  const deliveries = useQuery(deliveriesQuery(packageName));
  const byId = new Map((deliveries.data?.deliveries ?? []).map((delivery) => [delivery.id, delivery]));
  const shown = events.data?.events ?? [];
  return (
    <Panel title="What happened" note="Live" state={events}>
      {shown.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing has happened yet. Events appear here as they are written.
        </Text>
      )}
      <Feed label="Events">
        {shown.map((event) => (
          <EventEntry key={event.id} event={event} delivery={byId.get(event.id)} />
        ))}
      </Feed>
    </Panel>
  );
}

interface EventEntryProps {
  readonly event: Event;
  readonly delivery: Delivery | undefined;
}

const deliveryColors = { delivered: 'teal.9', waiting: 'yellow.9', held: 'gray.7', dead: 'red.9' } as const;

function EventEntry({ event, delivery }: EventEntryProps) {
  const { packageName } = useLab();
  const purchaseId = 'purchaseId' in event ? event.purchaseId : undefined;
  const attempt = delivery?.attempts.at(-1);
  return (
    <FeedEntry
      title={event.type}
      time={
        <>
          <Instant ms={event.eventTime} clock="app" />
          {purchaseId !== undefined && (
            <>
              , <bdi style={{ overflowWrap: 'anywhere' }}>{purchaseId}</bdi>
            </>
          )}
        </>
      }
      badges={
        delivery !== undefined && (
          <Badge size="sm" color={deliveryColors[delivery.state]}>
            webhook {delivery.state}
          </Badge>
        )
      }
    >
      {purchaseId !== undefined && (
        <Id value={purchaseId} what="purchase id" wraps link={linkTo.purchase({ packageName, purchaseId })} />
      )}
      {delivery !== undefined && (
        <>
          <Text size="sm">
            {attempt === undefined
              ? 'The webhook was not called yet.'
              : `The webhook responded ${attempt.httpStatus ?? attempt.failure ?? 'nothing'} in ${Math.round(attempt.latencyMs)} ms.`}
          </Text>
          <Id value={delivery.id} what="delivery id" wraps link={linkTo.delivery(packageName, delivery.id)} />
        </>
      )}
      <JsonText value={event} />
    </FeedEntry>
  );
}
