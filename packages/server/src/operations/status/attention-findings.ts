// Finds what needs attention, kind by kind (docs/decisions/console.md).

import { type AttentionRow, attentionCountMax } from '@opentill/contract/attention.ts';
import {
  type AttentionKind,
  attentionKindNames,
  attentionThresholds,
} from '@opentill/contract/attention-kinds.ts';
import { dayMs } from '../../domain/time.ts';
import {
  countUnansweredCharges,
  type Finding,
  listContradicted,
  listDeadDeliveries,
  listFailingWebhooks,
  listOutstandingPayments,
  listOverdueRenewals,
  listPauses,
  listUnresolved,
  listUnusualVoids,
} from '../../store/status/attention.ts';
import type { ServerProcess } from '../../store/status/server-processes.ts';
import type { Store } from '../../store/store.ts';
import { listPausedPackageNames, wholeStore } from '../../store/subscriptions/renewal-pauses.ts';
import type { SettlingOptions } from '../subscriptions/renewal/renewal-options.ts';
import { listLivingProcesses } from './living-processes.ts';
import type { ProcessActivity } from './process-activity.ts';

export interface AttentionOptions {
  readonly store: Store;
  readonly settling: SettlingOptions;
  readonly activity: ProcessActivity;
}

interface Reading extends Omit<AttentionOptions, 'activity'> {
  readonly now: number;
  readonly processes: readonly ServerProcess[];
}

type Row = Omit<AttentionRow, 'kind'>;

const {
  outstandingMs,
  overdueMs,
  gatewaySilentMs,
  clockSkewMs,
  voidsMin,
  voidsTimesMean,
  voidsMeanDays,
  rejectedKeysMin,
} = attentionThresholds;

/** The rows of each kind, in any order. */
const finders: Readonly<Record<AttentionKind, (reading: Reading) => Promise<Row[]>>> = {
  held: async ({ store }) => {
    const { hold } = await store.clock.read(store.database, wholeStore);
    return hold === undefined ? [] : [{ count: 1, target: { page: 'renewals' } }];
  },
  gatewaySilent: async ({ store, now, processes }) => {
    const before = now - gatewaySilentMs;
    const unanswered = await countUnansweredCharges(store.database.storeWide, before);
    const clearSince = Math.max(
      ...processes.map(({ startedAt, state }) => state.gatewayClearAt ?? startedAt),
    );
    if (unanswered.count === 0 || clearSince > before) return [];
    const since = Math.max(clearSince, unanswered.since ?? 0);
    return [{ count: unanswered.count, since, target: { page: 'status' } }];
  },
  attemptConflict: async ({ store }) =>
    (await listContradicted(store.database.storeWide)).map(ofSubscription),
  renewalsOverdue: async ({ store, now }) => {
    const paused = await listPausedPackageNames(store.database.storeWide);
    if (paused.includes(wholeStore)) return [];
    const overdue = { before: now - overdueMs, except: paused };
    const found = await listOverdueRenewals(store.database.storeWide, overdue);
    return found.map((finding) => ofApp(finding, { page: 'renewals', packageName: finding.packageName }));
  },
  clockSkew: async ({ processes }) => {
    const skewed = processes.filter(({ state }) => state.skewMs >= clockSkewMs);
    return skewed.length === 0 ? [] : [{ count: skewed.length, target: { page: 'status' } }];
  },
  webhookFailing: async ({ store }) => (await listFailingWebhooks(store.database.storeWide)).map(ofWaiting),
  deliveriesDead: async ({ store }) => (await listDeadDeliveries(store.database.storeWide)).map(ofDead),
  unresolvedAttempts: async ({ store }) =>
    (await listUnresolved(store.database.storeWide)).map(ofSubscription),
  voidsUnusual: async ({ store, now }) => {
    if (store.environment === 'sandbox') return [];
    const since = now - dayMs;
    const found = await listUnusualVoids(store.database.storeWide, {
      now,
      since,
      meanSince: since - voidsMeanDays * dayMs,
      countMin: voidsMin,
      timesMean: voidsTimesMean,
    });
    return found.map((finding) =>
      ofApp(finding, { page: 'voids', packageName: finding.packageName, from: since }),
    );
  },
  rejectedKeys: async ({ processes }) => {
    const count = processes.reduce((sum, { state }) => sum + state.wrongKeys, 0);
    const times = processes.flatMap(({ state }) => state.wrongKeysSince ?? []);
    if (count < rejectedKeysMin) return [];
    return [
      { count: Math.min(count, attentionCountMax), since: Math.min(...times), target: { page: 'status' } },
    ];
  },
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
  paused: async ({ store }) =>
    (await listPauses(store.database.storeWide)).map(({ packageName, count, since }) =>
      packageName === wholeStore
        ? { count, ...(since !== null && { since }), target: { page: 'renewals' } }
        : ofApp({ packageName, count, since }, { page: 'renewals', packageName }),
    ),
};

function ofApp({ packageName, count, since }: Finding, target: AttentionRow['target']): Row {
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
export async function findAttention(
  { activity, ...options }: AttentionOptions,
  now: number,
): Promise<AttentionRow[]> {
  const processes = await listLivingProcesses(options.store.database.storeWide, activity);
  const rows: AttentionRow[] = [];
  for (const kind of attentionKindNames) {
    const found = await finders[kind]({ ...options, now, processes });
    found.sort((left, right) => right.count - left.count || (left.since ?? now) - (right.since ?? now));
    rows.push(...found.map((row) => ({ kind, ...row })));
  }
  return rows;
}
