// The kinds of lines of an export, in order, with the tables of each and the rows that its lines refer to. A test
// compares this list with docs/import-export.md.

import * as audit from '../tables/audit.ts';
import * as ledger from '../tables/ledger.ts';
import * as sandbox from '../tables/sandbox.ts';
import * as webhooks from '../tables/webhooks.ts';
import type { TransferTables } from './columns.ts';
import {
  eventRule,
  faultRule,
  type LineRule,
  type LineValues,
  purchaseRule,
  subscriptionRule,
  together,
  webhookRule,
  withAnchor,
} from './line-rules.ts';

/** A row of the same app that a field of a line names. */
export interface Reference {
  readonly field: string;
  readonly table: string;
  readonly column: string;
  /** SQL for the type that the row must have. */
  readonly type?: string;
}

export type Counter = 'eventOrder' | 'voidOrder' | 'lastVoidedTime' | 'actionOrder';

export interface TransferKind {
  readonly kind: string;
  readonly tables: TransferTables;
  readonly references: readonly Reference[];
  /** Counters of the app, each with the field whose value it must reach. */
  readonly counters: Readonly<Partial<Record<Counter, string>>>;
  /** Check fields against each other. */
  readonly rules: readonly LineRule[];
  /** The values of a valid line, with those that it leaves out. */
  readonly complete: (values: LineValues) => LineValues;
  /** Production does not use such rows. */
  readonly isSandboxOnly: boolean;
  /** Some rows belong to no app: they have the package name ''. */
  readonly isStoreWide: boolean;
}

const kind = (
  name: string,
  tables: TransferTables,
  more: Partial<Omit<TransferKind, 'kind' | 'tables'>> = {},
): TransferKind => ({
  kind: name,
  tables,
  references: [],
  counters: {},
  rules: [],
  complete: (values) => values,
  isSandboxOnly: false,
  isStoreWide: false,
  ...more,
});

const ofProduct = (type: string): Reference => ({
  field: 'productId',
  table: 'product',
  column: 'product_id',
  type,
});
const ofSubscription: Reference = {
  field: 'firstPurchaseId',
  table: 'subscription',
  column: 'first_purchase_id',
};
const ofPurchase: Reference = { field: 'purchaseId', table: 'purchase', column: 'purchase_id' };

/** In the order in which they are exported, for each app. */
export const transferKinds: readonly TransferKind[] = [
  kind('app', [ledger.app, ledger.accessToken, ledger.appCounter], {
    rules: [
      together('previousClientSecretHash', 'previousClientSecretUntil'),
      together('issuedKeyId', 'issuedGeneration', 'issuedAtSeconds'),
      together('cutIssuedAtSeconds', 'cutEndsAt'),
    ],
  }),
  kind('product', [ledger.product]),
  kind('subscription', [ledger.subscription], {
    references: [ofProduct(`'subscription'`)],
    rules: [
      subscriptionRule,
      together('cancelReason', 'cancelledTime'),
      together('anchorTime', 'anchorIndex'),
    ],
    complete: withAnchor,
  }),
  kind('purchase', [ledger.purchase], {
    references: [
      ofProduct(`case when purchase.first_purchase_id is null then 'one_time' else 'subscription' end`),
      ofSubscription,
    ],
    rules: [
      purchaseRule,
      together('voidedTime', 'voidReason', 'voidOrder'),
      together('firstPurchaseId', 'periodIndex', 'startTime', 'expiryTime'),
    ],
    counters: { voidOrder: 'voidOrder', lastVoidedTime: 'voidedTime' },
  }),
  kind('renewalAttempt', [ledger.renewalAttempt], {
    references: [ofSubscription],
    rules: [together('outcome', 'settledTime')],
  }),
  kind('renewalPause', [ledger.renewalPause], {
    rules: [together('pausedAt', 'pausedBy')],
    isStoreWide: true,
  }),
  kind('event', [ledger.event], {
    references: [ofPurchase],
    counters: { eventOrder: 'eventOrder' },
    rules: [eventRule],
  }),
  kind('webhook', [webhooks.webhook], {
    counters: { eventOrder: 'cursorOrder' },
    rules: [webhookRule, together('previousSecret', 'previousSecretUntil')],
  }),
  kind('delivery', [webhooks.webhookDelivery], {
    counters: { eventOrder: 'eventOrder' },
  }),
  kind('action', [audit.operatorAction], {
    counters: { actionOrder: 'order' },
    isStoreWide: true,
  }),
  kind('clock', [sandbox.appClock], { isSandboxOnly: true }),
  kind('fault', [sandbox.fault], { rules: [faultRule], isSandboxOnly: true }),
];
