// What happened to a purchase, oldest first: each change with its author, the reason that was given for it, and its way to
// the webhook. Calls that changed nothing follow.

import { Group, Stack, Text } from '@mantine/core';
import type { Action, OperatorOperations, PurchaseWithHistory } from '@opentill/client/operator';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type PurchaseKey, purchaseActionsQuery, purchaseDeliveriesQuery } from '../../api/purchase.ts';
import { actionText } from '../../parts/action-labels.tsx';
import { DeliveryState } from '../../parts/delivery-state.tsx';
import { Empty } from '../../parts/empty.tsx';
import { eventText } from '../../parts/event-labels.ts';
import { History, HistoryEntry, type HistoryEntryProps } from '../../parts/history.tsx';
import { Instant } from '../../parts/instant.tsx';
import { lastResponseOf } from '../../parts/last-attempt.ts';
import { LongText } from '../../parts/long-text.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { joinedState, Panel } from '../../parts/panel.tsx';
import { reasonNames } from '../../parts/reason-fields.tsx';
import { isProduction } from '../../runtime/page.ts';

type Delivery = Awaited<ReturnType<OperatorOperations['listDeliveries']>>['deliveries'][number];
type Change = PurchaseWithHistory['history'][number];

interface PurchaseStoryProps {
  readonly of: PurchaseKey;
  readonly purchase: UseQueryResult<PurchaseWithHistory>;
}

export function PurchaseStory({ of, purchase }: PurchaseStoryProps) {
  const actions = useQuery(purchaseActionsQuery(of));
  const deliveries = useQuery(purchaseDeliveriesQuery(of));
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
      <History>
        {changes.map((change) => (
          <HistoryEntry key={`${change.requestId} ${change.type}`} {...stepOfChange(change)}>
            <Reason action={made.find(({ requestId }) => requestId === change.requestId)} />
            <Sent of={of} delivery={sent.find((delivery) => isOf(delivery, change))} />
          </HistoryEntry>
        ))}
        {others.map((action) => (
          <HistoryEntry key={action.order} {...stepOfAction(action)}>
            <Reason action={action} />
          </HistoryEntry>
        ))}
      </History>
    </Panel>
  );
}

function stepOfChange({ time, type, madeBy }: Change): HistoryEntryProps {
  return { time, sentence: eventText(type), by: madeBy, name: type };
}

function stepOfAction({ time, operationId, madeBy }: Action): HistoryEntryProps {
  return { time, clock: 'real', sentence: actionText(operationId), by: madeBy, name: operationId };
}

/** A delivery does not have the request of its event, but its type and time. */
function isOf({ type, eventTime }: Delivery, change: Change): boolean {
  return type === change.type && eventTime === change.time;
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

/** The reason code, note and ticket of a call. */
function Reason({ action }: { readonly action: Action | undefined }) {
  const { reasonCode, note, ticket } = action ?? {};
  if (reasonCode === undefined && note === undefined && ticket === undefined) return null;
  return (
    <Stack gap="xxs" fz="sm">
      {reasonCode !== undefined && <span>{reasonNames[reasonCode]}</span>}
      {note !== undefined && <LongText text={note} />}
      {ticket !== undefined && (
        <span>
          Ticket <LongText text={ticket} />
        </span>
      )}
    </Stack>
  );
}
