// What an operator did, in words: the sentence first, and the name of the operation behind it.

import { Group, Text } from '@mantine/core';
import type { Action } from '@opentill/client/operator';
import { Instant } from './instant.tsx';
import { LongText } from './long-text.tsx';

/** Of the operations that are recorded. Commands of the server have names with a space. */
const words: Readonly<Record<string, string>> = {
  advanceClock: 'Clock moved',
  cancelSubscription: 'Subscription cancelled',
  cancelSubscriptions: 'Subscriptions cancelled',
  createApp: 'App created',
  createConsoleLink: 'Sign-in link made',
  createSession: 'Signed in',
  deleteSession: 'Signed out',
  deleteWebhook: 'Webhook deleted',
  eraseBuyer: 'Buyer erased',
  expelTokens: 'Tokens expelled',
  pauseRenewals: 'Renewals paused',
  putClock: 'Clock set',
  putFaults: 'Faults set',
  putProduct: 'Product set',
  putToken: 'Token set',
  putWebhook: 'Webhook set',
  reactivateSubscription: 'Subscription reactivated',
  recordPurchase: 'Purchase recorded',
  redeliver: 'Delivery resent',
  redeliverFailed: 'Failed deliveries resent',
  reset: 'Sandbox reset',
  resumeRenewals: 'Renewals resumed',
  rotateClientSecret: 'Client secret rotated',
  rotateWebhookSecret: 'Webhook secret rotated',
  settleAttempt: 'Charge settled',
  testWebhook: 'Test event sent',
  updateApp: 'App changed',
  voidPurchase: 'Purchase voided',
};

/** The instant of an advance, in ms. */
const instantDetail = /^to (\d{10,15})$/;

export function ActionSentence({ action }: { readonly action: Pick<Action, 'operationId' | 'detail'> }) {
  const { operationId, detail } = action;
  const sentence = words[operationId];
  const instant = instantDetail.exec(detail ?? '')?.[1];
  return (
    <Group gap="xs" align="baseline">
      <Text span size="sm" fw={500}>
        {sentence ?? operationId}
        {instant !== undefined && (
          <>
            {' to '}
            <Instant ms={Number(instant)} />
          </>
        )}
        {detail !== undefined && instant === undefined && (
          <>
            : <LongText text={detail} />
          </>
        )}
      </Text>
      {sentence !== undefined && (
        <Text span size="xs" ff="monospace" c="dimmed">
          {operationId}
        </Text>
      )}
    </Group>
  );
}
