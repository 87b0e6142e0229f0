// Finds what needs attention, kind by kind (docs/decisions/console.md).

import type { AttentionRow, AttentionTarget } from '@opentill/contract/attention.ts';
import {
  type AttentionKind,
  attentionKindNames,
  attentionThresholds,
} from '@opentill/contract/attention-kinds.ts';
import {
  type Finding,
  listContradicted,
  listDeadDeliveries,
  listFailingWebhooks,
  listOutstandingPayments,
  listOverdueRenewals,
  listPauses,
  listUnresolved,
} from '../../store/status/attention.ts';
import type { Store } from '../../store/store.ts';
import { listPausedPackageNames, wholeStore } from '../../store/subscriptions/renewal-pauses.ts';
import type { SettlingOptions } from '../subscriptions/renewal/renewal-options.ts';

export interface AttentionOptions {
  readonly store: Store;
  readonly settling: SettlingOptions;
}

interface Reading extends AttentionOptions {
  readonly now: number;
}

type Row = Omit<AttentionRow, 'kind'>;

const { outstandingMs, overdueMs, clockOffMs } = attentionThresholds;

/** The rows of each kind, in any order. */
const finders: Readonly<Record<AttentionKind, (reading: Reading) => Promise<Row[]>>> = {
  charges: async ({ store: { database } }) =>
    [...(await listContradicted(database.storeWide)), ...(await listUnresolved(database.storeWide))].map(
      ofSubscription,
    ),
  renewals: async (reading) => [
    ...(await listHolds(reading)),
    ...(await listPauses(reading.store.database.storeWide)).map(ofPause),
    ...(await listOverdue(reading)),
  ],
  clockOff: async ({ store }) => {
    return Math.abs(store.clock.differenceMs) < clockOffMs ? [] : [{ count: 1 }];
  },
  webhooks: async ({ store: { database } }) => [
    ...(await listFailingWebhooks(database.storeWide)).map(ofWaiting),
    ...(await listDeadDeliveries(database.storeWide)).map(ofDead),
  ],
  paymentsOutstanding: async ({ store, now }) => {
    const found = await listOutstandingPayments(store.database.storeWide, now - outstandingMs);
    return found.map((finding) =>
      ofApp(finding, {
        page: 'subscriptions',
        packageName: finding.packageName,
        state: 'payment_outstanding',
      }),
    );
  },
};

async function listHolds({ store: { clock, database } }: Reading): Promise<Row[]> {
  const { hold } = await clock.read(database, wholeStore);
  return hold === undefined ? [] : [{ count: 1, target: { page: 'renewals' } }];
}

async function listOverdue({ store: { database }, now }: Reading): Promise<Row[]> {
  const paused = await listPausedPackageNames(database.storeWide);
  if (paused.includes(wholeStore)) return [];
  const found = await listOverdueRenewals(database.storeWide, { before: now - overdueMs, except: paused });
  return found.map(ofRenewals);
}

function ofPause(finding: Finding): Row {
  if (finding.packageName !== wholeStore) return ofRenewals(finding);
  const { count, since } = finding;
  return { count, ...(since !== null && { since }), target: { page: 'renewals' } };
}

function ofRenewals(finding: Finding): Row {
  return ofApp(finding, { page: 'renewals', packageName: finding.packageName });
}

function ofApp({ packageName, count, since }: Finding, target: AttentionTarget): Row {
  return { packageName, count, ...(since !== null && { since }), target };
}

function ofSubscription(finding: Finding & { readonly firstPurchaseId: string }): Row {
  const { packageName, firstPurchaseId } = finding;
  return ofApp(finding, { page: 'subscription', packageName, firstPurchaseId });
}

function ofWaiting(finding: Finding): Row {
  return ofApp(finding, { page: 'deliveries', packageName: finding.packageName, state: 'waiting' });
}

function ofDead(finding: Finding): Row {
  return ofApp(finding, { page: 'deliveries', packageName: finding.packageName, state: 'dead' });
}

/** All rows, worst first. One statement runs at a time, so that calls keep the other connections. */
export async function findAttention(options: AttentionOptions, now: number): Promise<AttentionRow[]> {
  const rows: AttentionRow[] = [];
  for (const kind of attentionKindNames) {
    const found = await finders[kind]({ ...options, now });
    found.sort((left, right) => right.count - left.count || (left.since ?? now) - (right.since ?? now));
    rows.push(...found.map((row) => ({ kind, ...row })));
  }
  return rows;
}
