// Finds what needs attention, kind by kind, and remembers it for a few seconds, for pages that poll and for the metrics
// (docs/decisions/console.md).

import type { AttentionRow, AttentionTarget } from '@opentill/contract/attention.ts';
import {
  type AttentionKind,
  attentionKindNames,
  attentionThresholds,
} from '@opentill/contract/attention-kinds.ts';
import { wholeStore } from '../../domain/identifiers.ts';
import type { AttentionCount } from '../../runtime/metrics.ts';
import { remembered } from '../../runtime/remembered.ts';
import {
  type Finding,
  listDeadDeliveries,
  listFailingWebhooks,
  listOutstandingPayments,
  listOverdueRenewals,
  listPauses,
  listRefundsDue,
  listUnanswered,
  listUnresolved,
} from '../../store/status/attention.ts';
import type { Store } from '../../store/store.ts';
import { listPausedPackageNames } from '../../store/subscriptions/renewal-pauses.ts';

/** How old a response may be, in ms. */
const rememberedMs = 5_000;

type Row = Omit<AttentionRow, 'kind'>;

/** From when on the end of the certificate of this server needs attention; undefined without one. */
type CertificateDue = () => number | undefined;

const { outstandingMs, overdueMs, unansweredMs, clockOffMs } = attentionThresholds;

const rowsOf = <Found extends Finding & { readonly reason?: string }>(
  found: readonly Found[],
  targetOf: (finding: Found) => AttentionTarget,
): Row[] =>
  found.map((finding) => {
    const { packageName, count, since, reason } = finding;
    const ofApp = packageName !== wholeStore && { packageName };
    return {
      ...ofApp,
      count,
      ...(since !== null && { since }),
      ...(reason && { reason }),
      target: targetOf(finding),
    };
  });

/** The rows of each kind, in any order. */
const finders: Readonly<
  Record<AttentionKind, (store: Store, now: number, certificateDue: CertificateDue) => Promise<Row[]>>
> = {
  async charges({ database: { storeWide } }, now) {
    const found = [
      ...(await listRefundsDue(storeWide)),
      ...(await listUnresolved(storeWide)),
      ...(await listUnanswered(storeWide, now - unansweredMs)),
    ];
    return rowsOf(found, ({ packageName, firstPurchaseId }) => ({
      page: 'subscription',
      packageName,
      firstPurchaseId,
    }));
  },
  async renewals({ clock, database }, now) {
    const { storeWide } = database;
    const { hold } = await clock.read(database, wholeStore);
    const paused = await listPausedPackageNames(storeWide);
    const late = { before: now - overdueMs, except: paused };
    const overdue = paused.includes(wholeStore) ? [] : await listOverdueRenewals(storeWide, late);
    const found = [...(await listPauses(storeWide)), ...overdue];
    const held: Row[] = hold === undefined ? [] : [{ count: 1, target: { page: 'renewals' } }];
    const ofApp = rowsOf(found, ({ packageName }) => ({
      page: 'renewals',
      ...(packageName !== wholeStore && { packageName }),
    }));
    return [...held, ...ofApp];
  },
  clockOff: async ({ clock }) => (Math.abs(clock.differenceMs) < clockOffMs ? [] : [{ count: 1 }]),
  async certificate(_store, now, certificateDue) {
    const since = certificateDue();
    return since === undefined || since > now ? [] : [{ count: 1, since }];
  },
  async webhooks({ database: { storeWide } }) {
    const ofState = (state: 'waiting' | 'dead') => (finding: Finding) =>
      ({ page: 'deliveries', packageName: finding.packageName, state }) as const;
    return [
      ...rowsOf(await listFailingWebhooks(storeWide), ofState('waiting')),
      ...rowsOf(await listDeadDeliveries(storeWide), ofState('dead')),
    ];
  },
  async paymentsOutstanding({ database }, now) {
    const found = await listOutstandingPayments(database.storeWide, now - outstandingMs);
    const state = 'paymentOutstanding';
    return rowsOf(found, ({ packageName }) => ({ page: 'subscriptions', packageName, state }));
  },
};

/** All rows, worst first. One statement runs at a time, so that calls keep the other connections. */
async function findAttention(
  store: Store,
  now: number,
  certificateDue: CertificateDue,
): Promise<AttentionRow[]> {
  const rows: AttentionRow[] = [];
  for (const kind of attentionKindNames) {
    const found = await finders[kind](store, now, certificateDue);
    found.sort((left, right) => right.count - left.count || (left.since ?? now) - (right.since ?? now));
    rows.push(...found.map((row) => ({ kind, ...row })));
  }
  return rows;
}

interface Found {
  readonly checkedAt: number;
  readonly rows: readonly AttentionRow[];
}

export class AttentionReader {
  readonly read: (now: number) => Promise<Found>;

  constructor(store: Store, certificateDue: CertificateDue) {
    this.read = remembered(rememberedMs, async (now) => ({
      checkedAt: now,
      rows: await findAttention(store, now, certificateDue),
    }));
  }

  /** A zero for each kind, and the count of each row. */
  async counts(now: number): Promise<readonly AttentionCount[]> {
    const { rows } = await this.read(now);
    return [
      ...attentionKindNames.map((kind) => ({ kind, app: '', count: 0 })),
      ...rows.map(({ kind, packageName: app = '', count }) => ({ kind, app, count })),
    ];
  }
}
