// The states of records in a word, each with a dot in the color of what it means. Only what is bad is filled.

import { Box, Text } from '@mantine/core';
import type { ListedSubscription, Purchase } from '@opentill/client/operator';
import type { ReactNode } from 'react';
import { colors, type ToneName } from './colors.ts';

/** `calm`: no action required. */
type StateTone = ToneName | 'calm';

interface StateProps {
  readonly tone?: StateTone;
  readonly children: ReactNode;
}

export function State({ tone = 'calm', children }: StateProps) {
  return (
    <Text
      span
      size="sm"
      className="state"
      {...(tone === 'bad' && { c: 'bad', bg: colors.bad.soft, px: 'xs' })}
    >
      <Box
        component="span"
        className="state-dot"
        bg={tone === 'calm' ? colors.muted : colors[tone].text}
        aria-hidden="true"
      />
      {children}
    </Text>
  );
}

type PurchaseFields = Pick<Purchase, 'purchaseState' | 'consumptionState'>;

function purchaseStateOf({ purchaseState, consumptionState }: PurchaseFields): string {
  if (purchaseState === 1) return 'voided';
  return consumptionState === 1 ? 'consumed' : 'completed';
}

export function PurchaseState({ purchase }: { readonly purchase: PurchaseFields }) {
  const state = purchaseStateOf(purchase);
  return <State tone={state === 'voided' ? 'bad' : 'calm'}>{state}</State>;
}

type SubscriptionStateName = ListedSubscription['state'];

export const subscriptionStates: Readonly<Record<SubscriptionStateName, string>> = {
  active: 'active',
  autoPaymentOff: 'auto-payment off',
  paymentOutstanding: 'payment outstanding',
  expired: 'expired',
  terminated: 'terminated',
};

const subscriptionTones: Readonly<Record<SubscriptionStateName, StateTone>> = {
  active: 'calm',
  autoPaymentOff: 'calm',
  paymentOutstanding: 'waiting',
  expired: 'calm',
  terminated: 'bad',
};

export function SubscriptionState({ state }: { readonly state: SubscriptionStateName }) {
  return <State tone={subscriptionTones[state]}>{subscriptionStates[state]}</State>;
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
