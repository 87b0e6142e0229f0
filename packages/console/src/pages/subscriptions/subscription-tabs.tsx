// The tabs of the page of a subscription: months, charges with their attempts, and events.

import { Stack, Text } from '@mantine/core';
import type { Attempt, Subscription } from '@opentill/client/operator';
import { Author } from '../../parts/author.tsx';
import { Empty } from '../../parts/empty.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { Records } from '../../parts/records.tsx';
import { EventSentence } from '../../parts/sentence.tsx';
import { State } from '../../parts/states.tsx';
import { Id } from '../../values/id.tsx';
import { Instant } from '../../values/instant.tsx';
import { LongText } from '../../values/long-text.tsx';
import { Money } from '../../values/money.tsx';
import { counted } from '../../values/quantity-text.ts';
import { SettleButton } from './subscription-changes.tsx';

type Month = Subscription['months'][number];

interface OfSubscription {
  readonly subscription: Subscription;
}

/** The months that are loaded for the picture, the newest first. */
export function MonthsTab({ subscription: { packageName, months, currency } }: OfSubscription) {
  return (
    <Records
      label="Months"
      rows={months.toReversed()}
      keyOf={({ purchaseId }) => purchaseId}
      columns={[
        { title: 'Month', cell: ({ periodIndex }) => periodIndex + 1 },
        {
          title: 'Purchase',
          cell: ({ purchaseId }) => (
            <Id value={purchaseId} what="purchase id" link={linkTo.purchase({ packageName, purchaseId })} />
          ),
        },
        { title: 'From', clock: 'app', name: 'startTime' },
        { title: 'Until', clock: 'app', name: 'expiryTime' },
        { title: 'State', cell: (month) => <MonthState month={month} /> },
        {
          title: 'Price',
          align: 'right',
          isClear: true,
          cell: ({ price }) => <Money price={price} currency={currency} />,
        },
      ]}
    />
  );
}

function MonthState({ month: { purchaseState, voidedTime } }: { readonly month: Month }) {
  if (purchaseState === 0) return <State>paid</State>;
  return (
    <Stack gap="xxs" align="flex-start">
      <State tone="bad">voided</State>
      {voidedTime !== undefined && <Instant ms={voidedTime} />}
    </Stack>
  );
}

export function ChargesTab({ subscription: { attempts } }: OfSubscription) {
  if (attempts.length === 0)
    return <Empty text="Nothing was charged yet: the checkout collected the payment of the first month." />;
  return (
    <Records
      label="Charges"
      rows={attempts}
      keyOf={({ periodIndex, attempt }) => `${periodIndex} ${attempt}`}
      columns={[
        { title: 'Month', name: 'month', value: ({ periodIndex }) => periodIndex + 1 },
        { title: 'Attempt', name: 'attempt' },
        { title: 'Outcome', name: 'outcome', cell: (row) => <Outcome attempt={row} /> },
        { title: 'Due', clock: 'app', name: 'dueTime' },
        {
          title: 'Settled or next',
          clock: 'app',
          value: ({ settledTime, nextTryTime }) => settledTime ?? nextTryTime,
        },
        {
          title: 'Idempotency key',
          name: 'idempotencyKey',
          cell: ({ idempotencyKey }) => <LongText text={idempotencyKey} />,
        },
      ]}
    />
  );
}

function Outcome({ attempt }: { readonly attempt: Attempt }) {
  const { outcome, state, tries } = attempt;
  if (state === 'conflict') {
    return (
      <Stack gap="xxs" align="flex-start">
        <State tone="bad">paid after it was settled as declined</State>
        <SettleButton attempt={attempt} />
      </Stack>
    );
  }
  if (outcome === 'paid') return <State>paid</State>;
  if (outcome !== undefined) {
    return <State tone="bad">{outcome === 'declined_final' ? 'declined for good' : 'declined'}</State>;
  }
  return (
    <Stack gap="xxs" align="flex-start">
      <State tone="waiting">{state}</State>
      <Text size="xs">sent {counted(tries, 'time')}</Text>
      <SettleButton attempt={attempt} />
    </Stack>
  );
}

export function EventsTab({ subscription: { events } }: OfSubscription) {
  if (events.length === 0) return <Empty text="No event of these months is retained." />;
  return (
    <Records
      label="Events"
      rows={events}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Time', clock: 'app', name: 'eventTime' },
        { title: 'Event', name: 'type', cell: ({ type }) => <EventSentence type={type} /> },
        { title: 'Month', cell: ({ periodIndex }) => periodIndex + 1 },
        { title: 'By', name: 'madeBy', cell: ({ madeBy }) => <Author madeBy={madeBy} /> },
        { title: 'Reason', name: 'expiryReason', cell: ({ expiryReason }) => expiryReason ?? '-' },
        { title: 'Request', name: 'requestId', cell: ({ requestId }) => <LongText text={requestId} /> },
      ]}
    />
  );
}
