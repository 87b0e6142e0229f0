// Reads what a rehearsal needs of each subscription: neither its buyer nor its payload, and of its attempts the newest.

import Type from 'typebox';
import type { Attempt, RenewableSubscription } from '../../domain/subscriptions/renewal.ts';
import type { Session } from '../connection/session.ts';
import { statement } from '../statements/statement.ts';
import { pick, withoutColumns } from '../statements/table.ts';
import { renewalAttempt, subscription } from '../tables/ledger.ts';
import { lineText } from './columns.ts';
import { jsonLines } from './export-reader.ts';

const ofBuyers = ['buyerId', 'developerPayload', 'autoPaymentChangedBy', 'erasedAt'] as const;
const rehearsedSubscription = withoutColumns(subscription, ...ofBuyers);
const newestAttempt = pick(renewalAttempt, 'periodIndex', 'attempt', 'begunTime', 'outcome', 'wasPending');

/** The fields of a line of an export; those that are null are missing. */
export type LineValues = Readonly<Record<string, unknown>>;

export interface RehearsedSubscription {
  readonly packageName: string;
  readonly subscription: RenewableSubscription;
  readonly newest: Attempt | undefined;
}

const absent = {
  ...{ firstPeriod: null, renewalPrice: null, cancelReason: null, cancelledTime: null, consent: null },
  ...{ nextPaymentTime: null, terminatedTime: null, openChargeTime: null, developerPayload: '' },
};

export function rehearsedFromLine(values: LineValues, newest: LineValues | undefined): RehearsedSubscription {
  const { packageName, expiryEventWritten } = values;
  const renewable = { ...absent, ...values, isExpired: expiryEventWritten };
  const attempt = newest && { outcome: null, ...newest };
  return {
    packageName: String(packageName),
    subscription: renewable as unknown as RenewableSubscription,
    newest: attempt as unknown as Attempt | undefined,
  };
}

// Reads all subscriptions.
const countDue = statement({
  name: 'count_rehearsed_subscriptions',
  text: 'select count(*)::integer as count from subscription where due_time is not null',
  row: Type.Object({ count: Type.Integer() }),
});

export async function countRehearsed(session: Session): Promise<number> {
  return (await session.rows(countDue, []))[0]?.count ?? 0;
}

/** Subscriptions per read, as the chunks of the driver allow. */
type Batch = readonly RehearsedSubscription[];

/** Yields the subscriptions of an app that fall due some time, in batches. */
export async function* readRehearsed(session: Session, packageName: string): AsyncGenerator<Batch> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of session.copyOut(copyText(session.literal(packageName)))) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield lines.map((line) => {
      const [values, newest] = JSON.parse(line) as [LineValues, LineValues | null];
      return rehearsedFromLine(values, newest ?? undefined);
    });
  }
}

/** By subscription_due_of_app, and for each subscription by the primary key of renewal_attempt, backwards. */
function copyText(packageName: string): string {
  return `copy (
      select '[' || ${lineText('subscription', [rehearsedSubscription])} || ',' ||
        coalesce(${lineText('renewalAttempt', [newestAttempt])}, 'null') || ']'
      from subscription
      left join lateral (select a.* from renewal_attempt a
        where a.package_name = ${packageName} and a.package_name = subscription.package_name
          and a.first_purchase_id = subscription.first_purchase_id
        order by a.period_index desc, a.attempt desc limit 1) as renewal_attempt on true
      where subscription.package_name = ${packageName} and subscription.due_time is not null
    ) to stdout ${jsonLines}`;
}
