// The kinds of lines of an export, in their order: what each says of which tables, and what has to be there
// before it. docs/import-export.md is the same list in words; a test holds the two together.

import * as ledger from '../tables/ledger.ts';
import * as sandbox from '../tables/sandbox.ts';
import * as webhooks from '../tables/webhooks.ts';
import type { TransferTables } from './columns.ts';
import { eventRule, faultRule, type LineRule, subscriptionRule } from './line-rules.ts';

/** A row that a field of a line names: it has to be there before the line. */
export interface Reference {
  readonly field: string;
  readonly table: string;
  readonly column: string;
}

export interface TransferKind {
  readonly kind: string;
  readonly tables: TransferTables;
  readonly references: readonly Reference[];
  /** Columns of app_counter, and the field that each must not be behind. */
  readonly counters: Readonly<Record<string, string>>;
  /** What holds between the fields of a line. */
  readonly rule: LineRule;
  /** No call of production reads such rows. */
  readonly isSandboxOnly: boolean;
}

function kind(
  name: string,
  tables: TransferTables,
  more: Partial<Omit<TransferKind, 'kind' | 'tables'>> = {},
): TransferKind {
  const none = { references: [], counters: {}, rule: () => undefined, isSandboxOnly: false };
  return { kind: name, tables, ...none, ...more };
}

const ofProduct: Reference = { field: 'productId', table: 'product', column: 'product_id' };
const ofSubscription: Reference = {
  field: 'firstPurchaseId',
  table: 'subscription',
  column: 'first_purchase_id',
};
const ofPurchase: Reference = { field: 'purchaseId', table: 'purchase', column: 'purchase_id' };

/** In the order in which they are exported, for each app: what a line names comes before it. */
export const transferKinds: readonly TransferKind[] = [
  kind('app', [ledger.app, ledger.accessToken, ledger.appCounter]),
  kind('product', [ledger.product]),
  kind('subscription', [ledger.subscription], { references: [ofProduct], rule: subscriptionRule }),
  kind('purchase', [ledger.purchase], {
    references: [ofProduct, ofSubscription],
    counters: { void_order: 'voidOrder', last_voided_time: 'voidedTime' },
  }),
  kind('renewalAttempt', [ledger.renewalAttempt], { references: [ofSubscription] }),
  kind('event', [ledger.event], {
    references: [ofPurchase],
    counters: { event_order: 'eventOrder' },
    rule: eventRule,
  }),
  kind('webhook', [webhooks.webhook], {
    counters: { event_order: 'cursorOrder' },
  }),
  kind('delivery', [webhooks.webhookDelivery], {
    counters: { event_order: 'eventOrder' },
  }),
  kind('change', [ledger.appChange], { counters: { change_order: 'changeOrder' } }),
  kind('clock', [sandbox.appClock], { isSandboxOnly: true }),
  kind('fault', [sandbox.fault], { rule: faultRule, isSandboxOnly: true }),
  kind('request', [sandbox.requestLog], { isSandboxOnly: true }),
];

/** Kinds of earlier versions whose tables are gone; an import skips their lines. */
export const retiredKinds: ReadonlySet<string> = new Set(['eventDay', 'shortenedTokens']);
