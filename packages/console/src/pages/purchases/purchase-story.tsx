// What happened to a purchase, oldest first: each change with its author, the reason that was given for it, and its way to
// the webhook. Calls that changed nothing follow.

import { Box, Group, Stack, Text } from '@mantine/core';
import type { Action, PurchaseWithHistory } from '@opentill/client/operator';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { callQuery, type ResultOf } from '../../api/client.ts';
import { actionText } from '../../parts/action-labels.tsx';
import { Author } from '../../parts/author.tsx';
import { Empty } from '../../parts/empty.tsx';
import { eventText } from '../../parts/event-labels.ts';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { joinedState, Panel } from '../../parts/panel.tsx';
import { reasonText } from '../../parts/reason.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { DeliveryState, lastResponseOf } from '../../parts/states.tsx';
import { isProduction } from '../../runtime/page.ts';
import { Instant, secondsFormat, TimeFormatContext } from '../../values/instant.tsx';
import type { PurchaseKey } from './purchase-record.tsx';

type Delivery = ResultOf<'listDeliveries'>['deliveries'][number];

/** A purchase has a few; the rest is in the lists of the app. */
const relatedMax = 50;

export const purchaseActionsQuery = ({ packageName, purchaseId }: PurchaseKey) =>
  callQuery('listActions', { packageName, subject: purchaseId, pageSize: relatedMax });

interface PurchaseStoryProps {
  readonly of: PurchaseKey;
  readonly purchase: UseQueryResult<PurchaseWithHistory>;
}

export function PurchaseStory({ of, purchase }: PurchaseStoryProps) {
  const actions = useQuery(purchaseActionsQuery(of));
  const deliveries = useQuery(callQuery('listDeliveries', { ...of, pageSize: relatedMax }));
  const changes = purchase.data?.history ?? [];
  const made = actions.data?.actions ?? [];
  const sent = deliveries.data?.deliveries ?? [];
  const changed = new Set(changes.map(({ requestId }) => requestId));
  const others = made
    .filter(({ requestId }) => requestId === undefined || !changed.has(requestId))
    .toReversed();
  return (
    <Panel
      title="What happened"
      note={isProduction ? 'oldest first' : 'oldest first, app time'}
      state={joinedState([purchase, actions, deliveries])}
    >
      {changes.length === 0 && <Empty text="The events of this purchase are no longer retained." />}
      <TimeFormatContext value={secondsFormat}>
        <Stack component="ol" aria-label="What happened" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
          {changes.map(({ eventTime: time, id, type, madeBy, requestId }) => (
            <Entry key={id} time={time} sentence={eventText(type)} by={madeBy} name={type}>
              <Reason action={made.find((action) => action.requestId === requestId)} />
              <Sent of={of} delivery={sent.find((one) => one.id === id)} />
            </Entry>
          ))}
          {others.map((action) => (
            <Entry
              key={action.order}
              time={action.time}
              clock="real"
              sentence={actionText(action.operationId)}
              by={action.madeBy}
              name={action.operationId}
            >
              <Reason action={action} />
            </Entry>
          ))}
        </Stack>
      </TimeFormatContext>
    </Panel>
  );
}

interface EntryProps {
  readonly time: number;
  /** Absent: that of the app. */
  readonly clock?: 'real';
  readonly sentence: string;
  readonly by: string | undefined;
  /** The name of the event or operation. */
  readonly name: string;
  readonly children: ReactNode;
}

function Entry({ time, clock, sentence, by, name, children }: EntryProps) {
  return (
    <Group component="li" gap="md" align="flex-start" wrap="wrap">
      <Box fz="sm" c="dimmed" miw={200}>
        <Instant ms={time} {...(clock !== undefined && { clock })} />
      </Box>
      <Stack gap="xxs" style={{ flex: '1 1 240px', minWidth: 0 }}>
        <Sentence name={name}>
          <b>{sentence}</b>
          {by !== undefined && (
            <>
              {' '}
              by <Author madeBy={by} />
            </>
          )}
        </Sentence>
        {children}
      </Stack>
    </Group>
  );
}

function Sent({ of, delivery }: { readonly of: PurchaseKey; readonly delivery: Delivery | undefined }) {
  if (delivery === undefined) return null;
  const { id, state, attempts, dueTime } = delivery;
  return (
    <Group gap="xs" fz="sm">
      <PageLink {...linkTo.delivery(of.packageName, id)}>Webhook</PageLink>
      <DeliveryState state={state} />
      <Text span size="sm" c="dimmed">
        {lastResponseOf(delivery)}
        {attempts.length > 1 && `, ${attempts.length} attempts`}
        {dueTime !== undefined && (
          <>
            , next <Instant ms={dueTime} />
          </>
        )}
      </Text>
    </Group>
  );
}

function Reason({ action }: { readonly action: Action | undefined }) {
  const text = reasonText(action ?? {});
  return text && <Text size="sm">{text}</Text>;
}
