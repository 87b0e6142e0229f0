// What an operator did, in words: the sentence first, and the name of the operation behind it.

import { Text } from '@mantine/core';
import type { Action } from '@opentill/client/operator';
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

/** The operations whose details are written by the server alone, without a text of an operator. */
const writtenByServer: ReadonlySet<string> = new Set([
  ...['advanceClock', 'extendSubscription', 'putProduct', 'putToken', 'redeliverFailed'],
  ...['rotateClientSecret', 'rotateWebhookSecret'],
]);

/** Instants, durations and prices, as such details have them. */
const rawValue = /(\b\d{13}\b|\b\d+ seconds\b|\b\d+ [A-Z]{3}\b)/;

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
          <Detail operationId={operationId} detail={detail} />
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

function Detail({ operationId, detail = '' }: Pick<Action, 'operationId' | 'detail'>) {
  if (!writtenByServer.has(operationId)) return <LongText text={detail} />;
  return detail.split(rawValue).map((part, index) => {
    const [number = '', unit = ''] = part.split(' ');
    if (index % 2 === 0) return part.replace('one_time', 'one-time');
    if (unit === '') return <Instant key={part} ms={Number(number)} />;
    if (unit === 'seconds') return durationText(Number(number) * secondMs);
    return <Money key={part} price={Number(number)} currency={unit} />;
  });
}
