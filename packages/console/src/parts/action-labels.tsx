// The action of an operator in words: the sentence first, and the name of the operation behind it.

import { Text } from '@mantine/core';
import type { Action } from '@opentill/client/operator';
import type { ReactNode } from 'react';
import { secondMs } from '../runtime/durations.ts';
import { Instant } from '../values/instant.tsx';
import { LongText, ShortName } from '../values/long-text.tsx';
import { Money } from '../values/money.tsx';
import { counted, durationText } from '../values/quantity-text.ts';
import { linkTo, PageLink } from './page-link.tsx';
import type { Column } from './records.tsx';
import { Sentence } from './sentence.tsx';

/** The sentences of files, whose operations change nothing. */
const fileSentences: Readonly<Record<string, string>> = {
  getStatement: 'Statement saved',
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

/** The sentences of recorded operations and commands. */
export const actionSentences: Readonly<Record<string, string>> = {
  ...fileSentences,
  advanceClock: 'Clock moved',
  cancelSubscription: 'Subscription cancelled',
  changeRenewalPrice: 'Renewal price changed',
  createApp: 'App created',
  createConsoleLink: 'Sign-in link made',
  createSession: 'Signed in',
  deleteWebhook: 'Webhook deleted',
  eraseBuyer: 'Buyer erased',
  expelTokens: 'Tokens expelled',
  export: 'Store exported',
  import: 'Store imported',
  rehearse: 'Charges rehearsed',
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

type ActionDetail = NonNullable<Action['detail']>;
type Shown = {
  readonly [Field in keyof ActionDetail]?: (value: Exclude<ActionDetail[Field], undefined>) => ReactNode;
};

/** The fields of a detail in words, in the order of the contract; the others are not shown. */
const shownFields: Shown = {
  clientId: (id) => `client id ${id}`,
  name: (name) => (name === null ? 'no name' : `name ${JSON.stringify(name)}`),
  previousName: (name) => (name === null ? undefined : `before ${JSON.stringify(name)}`),
  disabled: (isDisabled) => (isDisabled ? 'disabled' : 'enabled'),
  generation: (generation) => `generation ${generation}`,
  keepPreviousForSeconds: (count) => `the previous one stays valid for ${durationText(count * secondMs)}`,
  type: (type) => type.replace('_', '-'),
  title: (title) => JSON.stringify(title),
  origin: (origin) => `events are posted to ${origin}`,
  sinceTime: (ms) => ['failed since ', <Instant key="since" ms={ms} />],
  expiryTime: (ms) => ['until ', <Instant key="end" ms={ms} clock="app" />],
  consent: (consent) => `consent ${consent}`,
  periodIndex: (index) => `period ${index + 1}`,
  attempt: (attempt) => `attempt ${attempt}`,
  outcome: (outcome) => outcome,
  idempotencyKey: (key) => `key ${key}`,
  refund: (refund) => (refund === 'due' ? 'paid later: refund it' : 'refund acknowledged'),
  allApps: () => 'all apps',
  role: (role) => `role ${role}`,
  signedInBy: (means) => `by ${means}`,
  clockTime: (ms) => ['to ', <Instant key="time" ms={ms} />],
  mode: (mode) => mode,
  rate: (rate) => `rate ${rate}`,
  faults: (count) => counted(count, 'fault'),
  expiresIn: (count) => `the newest token ends in ${durationText(count * secondMs)}`,
  file: () => 'CSV',
  filters: (filters) => filters,
  apps: (count) => counted(count, 'app'),
  packageNames: (names) => names,
  imported: (counts) => counts,
  leftOut: (count) => `left out ${count}`,
  sha256: (hash) => `SHA-256 ${hash}`,
};

const amounts: ReadonlySet<string> = new Set(['price', 'previousRenewalPrice', 'renewalPrice']);

/** Long, and rarely read. */
const restFields: ReadonlySet<string> = new Set(['packageNames', 'sha256']);

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
          {': '}
          {partsOf(detail, (field) => !restFields.has(field))}
          <RestOf detail={detail} />
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

function RestOf({ detail }: { readonly detail: ActionDetail }) {
  const rest = partsOf(detail, (field) => restFields.has(field));
  if (rest.length === 0) return null;
  return (
    <details>
      <summary>more</summary>
      {rest}
    </details>
  );
}

function partsOf(detail: ActionDetail, isShown: (field: string) => boolean): readonly ReactNode[] {
  const { currency } = detail;
  const shown = Object.entries(detail).filter(([field]) => isShown(field));
  const parts = shown.flatMap(([field, value]) => {
    if (amounts.has(field)) return [<Money key={field} price={Number(value)} currency={currency ?? ''} />];
    const part = (shownFields[field as keyof Shown] as ((value: unknown) => ReactNode) | undefined)?.(value);
    if (part === undefined) return [];
    return typeof part === 'string'
      ? [<LongText key={field} text={part} />]
      : [<span key={field}>{part}</span>];
  });
  return parts.flatMap((part, index) => (index === 0 ? [part] : [', ', part]));
}
