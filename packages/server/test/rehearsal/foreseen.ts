// What a rehearsal foresees for an app, and what then happened, in the same form.

import type { ClientConfig } from 'pg';
import { query } from '../../../../test/support/query.ts';
import { type RehearsalRules, rehearse } from '../../src/domain/subscriptions/rehearsal.ts';
import { storeOfDatabase } from '../../src/operations/transfer/rehearsed-stores.ts';

/** A settled attempt, or the end of a subscription: `S-1 2026-03-01T00:00:00.000Z 3.1 paid 499`. */
type Fact = string;

const fact = (id: string, instant: number, what: string): Fact =>
  `${id} ${new Date(instant).toISOString()} ${what}`;

const ends: ReadonlySet<string> = new Set(['expired', 'overdue', 'failedForGood', 'withoutConsent']);

/** By the rules, from the stored rows of the app. */
export async function foreseen(
  connection: ClientConfig,
  packageName: string,
  rules: RehearsalRules,
): Promise<Fact[]> {
  const facts: Fact[] = [];
  for await (const batch of storeOfDatabase(connection, undefined).read()) {
    for (const { subscription, newest, ...of } of batch) {
      if (of.packageName !== packageName) continue;
      const { firstPurchaseId: id } = subscription;
      for (const { instant, periodIndex, attempt, change, price } of rehearse(subscription, newest, rules)) {
        const outcome = change === 'renewed' ? `paid ${price}` : 'declined';
        if (attempt > 0) facts.push(fact(id, instant, `${periodIndex}.${attempt} ${outcome}`));
        if (ends.has(change)) facts.push(fact(id, instant, 'expired'));
      }
    }
  }
  return facts.sort();
}

/** After an instant, from the rows that were written. */
export async function happened(
  connection: ClientConfig,
  packageName: string,
  { after }: { readonly after: number },
): Promise<Fact[]> {
  const attempts = await query(
    connection,
    `select a.first_purchase_id as id, a.settled_time as instant, a.period_index as "periodIndex", a.attempt, a.outcome,
        p.price
      from renewal_attempt a left join purchase p using (package_name, purchase_id)
      where a.package_name = $1 and a.settled_time >= $2`,
    [packageName, after],
  );
  const expired = await query(
    connection,
    `select first_purchase_id as id, event_time as instant from event
      where package_name = $1 and type = 'subscription.expired' and event_time >= $2`,
    [packageName, after],
  );
  return [
    ...attempts.map(({ id, instant, periodIndex, attempt, outcome, price }) =>
      fact(
        id,
        Number(instant),
        `${periodIndex}.${attempt} ${outcome === 'paid' ? `paid ${price}` : 'declined'}`,
      ),
    ),
    ...expired.map(({ id, instant }) => fact(id, Number(instant), 'expired')),
  ].sort();
}
