// The states of records in a word, each with a symbol whose shape and color say what it means, also in pictures. Only what is
// bad is filled.

import { Group, Text } from '@mantine/core';
import type { ListedSubscription, Purchase } from '@opentill/client/operator';
import type { ReactNode } from 'react';
import { colors, type ToneName } from './colors.ts';

/** `calm`: no action required. */
type StateTone = ToneName | 'calm';

interface StateLook {
  readonly tone?: StateTone;
  /** It goes on, but not for long unless something is done. */
  readonly isHollow?: boolean;
}

/** Within 10 pixels, 1 from each side. */
const shapes: Readonly<Record<StateTone, string>> = {
  good: 'M 1 5 A 4 4 0 1 1 9 5 A 4 4 0 1 1 1 5 Z',
  waiting: 'M 5 1 L 9 9 H 1 Z',
  bad: 'M 1 1 H 9 V 9 H 1 Z',
  info: 'M 5 1 L 9 5 L 5 9 L 1 5 Z',
  calm: 'M 1 4 H 9 V 6 H 1 Z',
};

interface StateSymbolProps extends StateLook {
  /** Instead of that of text. */
  readonly color?: string;
}

export function StateSymbol({ tone = 'calm', isHollow = false, color }: StateSymbolProps) {
  const ink = color ?? (tone === 'calm' ? colors.muted : colors[tone].text);
  return (
    <svg width={10} height={10} aria-hidden="true" style={{ flex: 'none' }}>
      <path d={shapes[tone]} fill={isHollow ? 'none' : ink} stroke={ink} strokeWidth={isHollow ? 2 : 1} />
    </svg>
  );
}

interface StateProps extends StateLook {
  readonly children: ReactNode;
}

export function State({ children, ...look }: StateProps) {
  const { tone } = look;
  return (
    <Text
      span
      size="sm"
      className="state"
      {...(tone === 'bad' && { c: 'bad', bg: colors.bad.soft, px: 'xs' })}
    >
      <StateSymbol {...look} />
      {children}
    </Text>
  );
}

/** What the symbols mean, for the lists and titles of purchases and subscriptions. */
export function StateLegend() {
  return (
    <Group component="ul" aria-label="Symbols" gap="md" p={0} m={0} style={{ listStyle: 'none' }}>
      {Object.entries(legend).map(([meaning, look]) => (
        <li key={meaning}>
          <Text span size="xs" c="dimmed" className="state">
            <StateSymbol {...look} />
            {meaning}
          </Text>
        </li>
      ))}
    </Group>
  );
}

const legend: Readonly<Record<string, StateLook>> = {
  'goes on': { tone: 'good' },
  'will end': { tone: 'good', isHollow: true },
  outstanding: { tone: 'waiting' },
  'awaits consent': { tone: 'waiting', isHollow: true },
  'ended or done': { tone: 'calm' },
  void: { tone: 'bad' },
};

type PurchaseFields = Pick<Purchase, 'purchaseState' | 'consumptionState'>;

export function PurchaseState({ purchase }: { readonly purchase: PurchaseFields }) {
  if (purchase.purchaseState === 1) return <State tone="bad">voided</State>;
  return purchase.consumptionState === 1 ? <State>consumed</State> : <State tone="good">completed</State>;
}

type SubscriptionStateName = ListedSubscription['state'];

export const subscriptionStates: Readonly<Record<SubscriptionStateName, string>> = {
  active: 'active',
  autoPaymentOff: 'auto-payment off',
  paymentOutstanding: 'payment outstanding',
  expired: 'expired',
  terminated: 'terminated',
};

type SubscriptionFields = Pick<
  ListedSubscription,
  'state' | 'awaitsConsent' | 'lastPeriodIndex' | 'voidedPeriods'
>;

/** Red only if a void has ended it. */
export function SubscriptionState({ subscription }: { readonly subscription: SubscriptionFields }) {
  const { state, awaitsConsent, lastPeriodIndex, voidedPeriods } = subscription;
  if (awaitsConsent && state === 'autoPaymentOff') {
    return (
      <State tone="waiting" isHollow>
        awaits consent
      </State>
    );
  }
  const looks: Readonly<Record<SubscriptionStateName, StateLook>> = {
    active: { tone: 'good' },
    autoPaymentOff: { tone: 'good', isHollow: true },
    paymentOutstanding: { tone: 'waiting' },
    expired: {},
    terminated: voidedPeriods.includes(lastPeriodIndex) ? { tone: 'bad' } : {},
  };
  return <State {...looks[state]}>{subscriptionStates[state]}</State>;
}

/** `held` waits behind an earlier event of the same subject. */
export const deliveryStates = {
  delivered: 'delivered',
  waiting: 'waiting',
  held: 'queued',
  dead: 'given up',
} as const;

const deliveryTones = { delivered: 'calm', waiting: 'waiting', held: 'waiting', dead: 'bad' } as const;

export function DeliveryState({ state }: { readonly state: keyof typeof deliveryStates }) {
  return <State tone={deliveryTones[state]}>{deliveryStates[state]}</State>;
}

interface DeliveryAttempt {
  readonly httpStatus?: number | undefined;
  readonly failure?: string | undefined;
  readonly failureCode?: string | undefined;
}

/** How the last attempt of a delivery ended, in a few words. */
export function lastResponseOf({ attempts }: { readonly attempts: readonly DeliveryAttempt[] }): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'not attempted';
  if (last.httpStatus !== undefined) return `HTTP ${last.httpStatus}`;
  // A code such as connectionRefused.
  const words = last.failure?.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) ?? 'no response';
  return last.failureCode === undefined ? words : `${words} (${last.failureCode})`;
}
