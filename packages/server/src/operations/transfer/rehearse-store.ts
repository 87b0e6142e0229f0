// Rehearses what a store will charge, by the rules that charge (docs/decisions/subscriptions.md).

import type { ClientConfig } from 'pg';
import { wholeStore } from '../../domain/identifiers.ts';
import { offsetSpanOf } from '../../domain/offset-spans.ts';
import type { ChargeRetries } from '../../domain/subscriptions/charge-times.ts';
import { declinedShare, rehearse } from '../../domain/subscriptions/rehearsal.ts';
import {
  RehearsalReport,
  type RehearsedRow,
  type RehearsedTotal,
} from '../../domain/subscriptions/rehearsal-report.ts';
import { appendAction, mayRecordActions } from '../../store/audit/actions.ts';
import { Session } from '../../store/connection/session.ts';
import type { RehearsedSubscription } from '../../store/transfer/rehearsed-subscriptions.ts';
import { type CommandAuthor, commandAction } from '../audit/action-recorder.ts';
import type { RehearsedStore } from './rehearsed-stores.ts';

/** What a rehearsal assumes. */
export interface RehearsalAssumptions {
  readonly from: number;
  readonly until: number;
  readonly timeZone: string;
  /** The schedule of retries, in ms after the payment fell due. */
  readonly retries: ChargeRetries;
  /** The share of attempts that the gateway declines, 0 to 1, and what chooses them. */
  readonly declined: number;
  readonly seed: number;
  /** Prices of products that replace those of the subscriptions. */
  readonly prices: Readonly<Record<string, number>>;
}

export interface RehearsedStoreReport {
  readonly assumptions: RehearsalAssumptions & {
    /** Apps in which nothing is charged: their renewals are paused, or they are disabled. */
    readonly pausedApps: readonly string[];
    readonly subscriptions: number;
  };
  readonly rows: readonly RehearsedRow[];
  readonly currencies: readonly RehearsedTotal[];
  readonly days: readonly RehearsedTotal[];
  readonly products: readonly RehearsedTotal[];
}

export async function rehearseStore(
  store: RehearsedStore,
  assumptions: RehearsalAssumptions,
): Promise<RehearsedStoreReport> {
  const { timeZone, prices, declined, seed } = assumptions;
  const report = new RehearsalReport(dayIn(timeZone));
  let subscriptions = 0;
  const add = ({ packageName, subscription, newest }: RehearsedSubscription): void => {
    const { productId, currency } = subscription;
    const answer = declinedShare(declined, seed, packageName);
    const renewalPrice = Object.hasOwn(prices, productId) ? prices[productId] : undefined;
    const priced = renewalPrice === undefined ? subscription : { ...subscription, renewalPrice };
    for (const step of rehearse(priced, newest, { ...assumptions, answer })) {
      report.add({ packageName, productId, currency }, step);
    }
  };
  for await (const batch of store.read()) {
    for (const one of batch) add(one);
    subscriptions += batch.length;
  }
  const pausedApps = [...store.pausedApps].map((name) => (name === wholeStore ? 'all' : name)).sort();
  return {
    assumptions: { ...assumptions, pausedApps, subscriptions },
    rows: report.rows(),
    currencies: report.totals('currency'),
    days: report.totals('date', 'currency'),
    products: report.totals('packageName', 'productId', 'currency'),
  };
}

/** The day of an instant in a zone, as in 2026-11-29. */
function dayIn(timeZone: string): (instant: number) => string {
  return (instant) => {
    const { offsetMs } = offsetSpanOf(instant, timeZone);
    return new Date(instant + offsetMs).toISOString().slice(0, 10);
  };
}

/** Records the rehearsal in the audit trail, unless the database is a replica or the account may only read. */
export async function recordRehearsal(
  connection: ClientConfig,
  author: CommandAuthor,
  filters: string,
): Promise<boolean> {
  await using session = await Session.open(connection);
  if (!(await mayRecordActions(session))) return false;
  await session.control('begin');
  await appendAction(session, wholeStore, commandAction('rehearse', author, { filters }));
  await session.control('commit');
  return true;
}
