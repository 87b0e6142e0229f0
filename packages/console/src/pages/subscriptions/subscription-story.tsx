// The story of a subscription: its events, each with the charge that it reports, and the charges that no event reports, because
// they have no outcome yet or their event is no longer retained.

import { Group, Text } from '@mantine/core';
import type { Attempt, Subscription } from '@opentill/client/operator';
import type { storyKinds } from '../../filters/page-filters.ts';
import { State } from '../../parts/states.tsx';
import { useInstantText } from '../../values/instant.tsx';
import { isolated } from '../../values/long-text.tsx';
import { Money } from '../../values/money.tsx';
import { counted } from '../../values/quantity-text.ts';
import { eventEntry, type StoryEntry } from '../story.tsx';
import { AcknowledgeButton, SettleButton } from './subscription-changes.tsx';

type KindName = keyof typeof storyKinds;

const keyOf = ({ periodIndex, attempt }: Pick<Attempt, 'periodIndex' | 'attempt'>): string =>
  `${periodIndex} ${attempt}`;

/** The events of payments; all others change the record or its auto-payment. */
const paymentTypes: ReadonlySet<string> = new Set([
  'subscription.started',
  'subscription.renewed',
  'subscription.payment_failed',
]);

/** The entries of a kind, or all of them. */
export function storyOf(subscription: Subscription, kind: string | undefined) {
  const { packageName, firstPurchaseId, events, attempts, periods, currency } = subscription;
  const isOfKind = (of: KindName, madeBy = ''): boolean =>
    kind === undefined || kind === of || (kind === 'operators' && madeBy.startsWith('operator:'));
  const attemptOf = new Map(attempts.map((attempt) => [keyOf(attempt), attempt]));
  const reported = new Set(events.map(({ attempt }) => attempt && keyOf(attempt)));
  const entries: StoryEntry[] = [
    ...events
      .toReversed()
      .filter(({ type, madeBy }) => isOfKind(paymentTypes.has(type) ? 'payments' : 'changes', madeBy))
      .map((event) => {
        const attempt = event.attempt && attemptOf.get(keyOf(event.attempt));
        const { previousRenewalPrice: before, renewalPrice: price } = event;
        const isPriced = before !== undefined && price !== undefined;
        const prices = isPriced && <Prices before={before} price={price} currency={currency} />;
        return eventEntry(
          event,
          packageName,
          attempt ? <Charge attempt={attempt} subscription={subscription} /> : prices,
        );
      }),
    ...attempts
      .filter((attempt) => isOfKind('payments') && !reported.has(keyOf(attempt)))
      .map((attempt) => chargeEntry(attempt, subscription)),
  ];
  const isFromFirst = periods[0]?.purchaseId === firstPurchaseId;
  const isWhole = !isFromFirst || events.at(-1)?.type === 'subscription.started';
  const isMoved = periods[0]?.isImported === true;
  return {
    entries: entries.toSorted((left, right) => left.time - right.time),
    removed: isWhole ? undefined : { packageName, subject: firstPurchaseId, isMoved },
  };
}

interface PricesProps {
  readonly before: number;
  readonly price: number;
  readonly currency: string;
}

function Prices({ before, price, currency }: PricesProps) {
  return (
    <Text size="sm">
      <Money price={before} currency={currency} /> before, <Money price={price} currency={currency} /> from
      the next period on
    </Text>
  );
}

const stateWords: Readonly<Record<Attempt['state'], string>> = {
  open: 'has no outcome yet',
  unresolved: 'has an unknown outcome, and is not retried',
  settled: 'was settled',
  refundDue: 'was paid after it was settled as declined: the money has to go back',
};

function chargeEntry(attempt: Attempt, subscription: Subscription): StoryEntry {
  const { state, periodIndex, begunTime, settledTime } = attempt;
  return {
    key: keyOf(attempt),
    time: settledTime ?? begunTime,
    sentence: `The charge for period ${periodIndex + 1} ${stateWords[state]}`,
    children: <Charge attempt={attempt} subscription={subscription} />,
  };
}

interface ChargeProps {
  readonly attempt: Attempt;
  readonly subscription: Subscription;
}

function Charge({ attempt, subscription }: ChargeProps) {
  const { periodIndex, attempt: number, tries, outcome, nextTryTime, idempotencyKey, state } = attempt;
  const at = useInstantText();
  const facts = [
    `Period ${periodIndex + 1}, attempt ${number}`,
    outcome?.replace('_final', ' for good'),
    tries > 1 && `sent ${counted(tries, 'time')}`,
    nextTryTime !== undefined && `next ${at(nextTryTime)}`,
    state !== 'settled' && `key ${isolated(idempotencyKey)}`,
  ];
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {facts.filter(Boolean).join(', ')}
      </Text>
      {state === 'refundDue' && <State tone="bad">paid after it was settled: to be refunded</State>}
      {state === 'refundDue' && <AcknowledgeButton attempt={attempt} subscription={subscription} />}
      {(state === 'open' || state === 'unresolved') && (
        <SettleButton attempt={attempt} subscription={subscription} />
      )}
    </Group>
  );
}
