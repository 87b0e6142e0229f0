// What the database and the gateway say of renewals that were all paid: every period once, without a gap or an
// overlap, one event each. Each number counts what is wrong, apart from `months`.

import type { Client } from 'pg';

export interface RenewalAudit {
  /** Months that were paid by renewals. */
  readonly months: number;
  /** Subscriptions that are still due, and attempts without an outcome. */
  readonly due: number;
  readonly open: number;
  /** Months without exactly one paid attempt that names them, and attempts that are no month's only one. */
  readonly unpaid: number;
  readonly surplusAttempts: number;
  /** Months that do not begin where the one before ends, or do not end on the day that the first one sets. */
  readonly gaps: number;
  readonly wrongEnds: number;
  /** Subscriptions whose row does not say what their newest month says. */
  readonly astray: number;
  /** Months without exactly one event of their own, and events of no month. */
  readonly untold: number;
  readonly surplusEvents: number;
  /** Places in an app's order of events that are missing. */
  readonly missingPlaces: number;
  /** Keys that the gateway took money for other than once, or that not exactly one paid attempt has. */
  readonly chargedWrongly: number;
  /** Paid attempts that the gateway knows nothing of. */
  readonly unknownToGateway: number;
}

const auditText = `
  with month as (select * from purchase where first_purchase_id is not null and period_index > 0)
  select
    (select count(*) from month)::integer as months,
    (select count(*) from subscription where due_time <= $1)::integer as due,
    (select count(*) from renewal_attempt where outcome is null)::integer as open,
    (select count(*) from month m where 1 <> (select count(*) from renewal_attempt a
      where a.package_name = m.package_name and a.first_purchase_id = m.first_purchase_id
        and a.period_index = m.period_index and a.outcome = 'paid' and a.purchase_id = m.purchase_id))::integer
      as unpaid,
    ((select count(*) from renewal_attempt) - (select count(*) from month))::integer as "surplusAttempts",
    (select count(*) from month m where not exists (select from purchase p where p.package_name = m.package_name
      and p.first_purchase_id = m.first_purchase_id and p.period_index = m.period_index - 1
      and p.expiry_time = m.start_time))::integer as gaps,
    (select count(*) from month m join subscription s using (package_name, first_purchase_id)
      where m.expiry_time <> extract(epoch from to_timestamp(s.first_start / 1000.0) at time zone 'UTC'
        + (m.period_index + 1) * interval '1 month') * 1000)::integer as "wrongEnds",
    (select count(*) from subscription s where not exists (select from purchase p
      where p.package_name = s.package_name and p.first_purchase_id = s.first_purchase_id
        and p.period_index = s.last_period_index and p.purchase_id = s.last_purchase_id
        and p.start_time = s.last_start_time and p.expiry_time = s.expiry_time
        and s.next_payment_time = s.expiry_time and not exists (select from purchase later
          where later.package_name = s.package_name and later.first_purchase_id = s.first_purchase_id
            and later.period_index > s.last_period_index)))::integer as astray,
    (select count(*) from month m where 1 <> (select count(*) from event e
      where e.package_name = m.package_name and e.purchase_id = m.purchase_id
        and e.first_purchase_id = m.first_purchase_id and e.type = 'subscription.renewed'))::integer as untold,
    ((select count(*) from event where first_purchase_id is not null) - (select count(*) from month))::integer
      as "surplusEvents",
    (select count(*) from app_counter c where c.event_order <> (select count(*) from event e
      where e.package_name = c.package_name))::integer as "missingPlaces"`;

/** `taken`: how often the gateway took money, by key. `now`: what is due by then should be done. */
export async function auditRenewals(
  client: Client,
  { taken, now }: { readonly taken: ReadonlyMap<string, number>; readonly now: number },
): Promise<RenewalAudit> {
  const { rows } = await client.query(auditText, [now]);
  const paid = await client.query(
    `select idempotency_key as key from renewal_attempt where outcome = 'paid'`,
  );
  const paidKeys = new Set(paid.rows.map(({ key }) => key as string));
  const sharedKeys = paid.rows.length - paidKeys.size;
  const strangeKeys = [...taken].filter(([key, times]) => times !== 1 || !paidKeys.has(key)).length;
  const chargedWrongly = sharedKeys + strangeKeys;
  const unknownToGateway = [...paidKeys].filter((key) => !taken.has(key)).length;
  return { ...rows[0], chargedWrongly, unknownToGateway };
}

/** What a run leaves in which nothing went wrong. */
export function flawless(months: number): RenewalAudit {
  return {
    months,
    due: 0,
    open: 0,
    unpaid: 0,
    surplusAttempts: 0,
    gaps: 0,
    wrongEnds: 0,
    astray: 0,
    untold: 0,
    surplusEvents: 0,
    missingPlaces: 0,
    chargedWrongly: 0,
    unknownToGateway: 0,
  };
}
