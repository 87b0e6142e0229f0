// What an operator did, in words: the sentence first, and the name of the operation behind it.

import { Text } from '@mantine/core';
import type { Action } from '@opentill/client/operator';
import type { ReactNode } from 'react';
import { secondMs } from '../runtime/durations.ts';
import { Instant } from '../values/instant.tsx';
import { LongText, ShortName } from '../values/long-text.tsx';
import { Money } from '../values/money.tsx';
import { durationText } from '../values/quantity-text.ts';
import { linkTo, PageLink } from './page-link.tsx';
import type { Column } from './records.tsx';
import { Sentence } from './sentence.tsx';

/** Of the operations whose files are recorded: they change nothing. */
const fileSentences: Readonly<Record<string, string>> = {
  getStatistics: 'Statistics saved',
  listActions: 'Audit trail saved',
  listApps: 'Apps saved',
  listDeliveries: 'Deliveries saved',
  listEvents: 'Events saved',
  listProducts: 'Products saved',
  listPurchases: 'Purchases saved',
  listSubscriptions: 'Subscriptions saved',
  listWebhooks: 'Webhooks saved',
};

/** Of the operations and commands that are recorded. */
export const actionSentences: Readonly<Record<string, string>> = {
  ...fileSentences,
  advanceClock: 'Clock moved',
  cancelSubscription: 'Subscription cancelled',
  createApp: 'App created',
  createConsoleLink: 'Sign-in link made',
  createSession: 'Signed in',
  deleteWebhook: 'Webhook deleted',
  eraseBuyer: 'Buyer erased',
  expelTokens: 'Tokens expelled',
  export: 'Store exported',
  import: 'Store imported',
  pauseRenewals: 'Renewals paused',
  putClock: 'Clock set',
  putFaults: 'Faults set',
  putProduct: 'Product set',
  putToken: 'Token set',
  putWebhook: 'Webhook set',
  reactivateSubscription: 'Subscription reactivated',
  extendSubscription: 'Subscription extended',
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

/** A value that a detail has as a number. */
interface RawValue {
  readonly pattern: RegExp;
  readonly shown: (...groups: readonly string[]) => ReactNode;
}

const instant: RawValue = { pattern: /(\d+)$/, shown: (ms) => <Instant ms={Number(ms)} /> };
const newEnd: RawValue = {
  pattern: /^expiryTime: \d+ -> (\d+)/,
  shown: (ms) => ['until ', <Instant key="end" ms={Number(ms)} clock="app" />],
};
const seconds: RawValue = {
  pattern: /(\d+) seconds/,
  shown: (count) => durationText(Number(count) * secondMs),
};
const product: RawValue = {
  pattern: /^(\w+), (\d+) ([A-Z]{3})/,
  shown: (type = '', price, currency = '') => (
    <>
      {type.replace('_', '-')}, <Money price={Number(price)} currency={currency} />
    </>
  ),
};

const rawValues: Readonly<Record<string, RawValue>> = {
  advanceClock: instant,
  extendSubscription: newEnd,
  putProduct: product,
  putToken: seconds,
  redeliverFailed: instant,
  rotateClientSecret: seconds,
  rotateWebhookSecret: seconds,
};

export function isChange({ operationId }: Pick<Action, 'operationId'>): boolean {
  return operationId !== 'createSession' && !Object.hasOwn(fileSentences, operationId);
}

export function actionText(operationId: string): string {
  return actionSentences[operationId] ?? operationId;
}

export const actionColumn: Column<Action> = {
  title: 'Action',
  cell: (action) => <ActionSentence {...action} />,
};

export const changedAppColumn: Column<Action> = {
  title: 'App',
  cell: ({ packageName }) =>
    packageName !== undefined && (
      <PageLink {...linkTo.app(packageName, 'changes')} inherit>
        <ShortName text={packageName} />
      </PageLink>
    ),
};

/** The subject may be any record, which the search opens. */
function ActionSentence({ operationId, detail, subject }: Action) {
  return (
    <Sentence name={operationId}>
      <b>{actionText(operationId)}</b>
      {detail !== undefined && (
        <>
          {detail.startsWith('to ') ? ' ' : ': '}
          <Detail detail={detail} raw={rawValues[operationId]} />
        </>
      )}
      {subject !== undefined && (
        <Text span size="xs" ff="monospace">
          {' '}
          <PageLink {...linkTo.find(subject)} inherit>
            <LongText text={subject} />
          </PageLink>
        </Text>
      )}
    </Sentence>
  );
}

function Detail({ detail, raw }: { readonly detail: string; readonly raw: RawValue | undefined }) {
  const found = raw?.pattern.exec(detail);
  if (raw === undefined || !found) return <LongText text={detail} />;
  return (
    <>
      <LongText text={detail.slice(0, found.index)} />
      {raw.shown(...found.slice(1))}
      <LongText text={detail.slice(found.index + found[0].length)} />
    </>
  );
}
