// Invariants of the database after any history: each change has its event, and orders have no gaps or duplicates.

import { query } from '../../../../test/support/query.ts';

/** Each query lists the rows that violate its rule. */
export const ledgerRules = {
  'events of an app are numbered 1, 2, 3 up to its counter': `
    select c.package_name, c.event_order, count(e.*) as events, max(e.event_order) as last_event
    from app_counter c left join event e using (package_name)
    group by c.package_name, c.event_order
    having count(e.*) <> c.event_order or coalesce(max(e.event_order), 0) <> c.event_order
      or coalesce(min(e.event_order), 1) <> 1`,
  'a purchase has one event of its recording': `
    select p.package_name, p.purchase_id, count(e.*) as events
    from purchase p left join event e on e.package_name = p.package_name and e.purchase_id = p.purchase_id
      and e.type in ('purchase.completed', 'subscription.started', 'subscription.renewed')
    group by p.package_name, p.purchase_id having count(e.*) <> 1`,
  'a purchase has one event of its consumption if it is consumed, else none': `
    select p.package_name, p.purchase_id, p.consumed_time, count(e.*) as events
    from purchase p left join event e on e.package_name = p.package_name and e.purchase_id = p.purchase_id
      and e.type = 'purchase.consumed'
    group by p.package_name, p.purchase_id, p.consumed_time
    having count(e.*) <> (p.consumed_time is not null)::int`,
  'a purchase has one event of its void if it is void, else none': `
    select p.package_name, p.purchase_id, p.voided_time, count(e.*) as events
    from purchase p left join event e on e.package_name = p.package_name and e.purchase_id = p.purchase_id
      and e.type = 'purchase.voided'
    group by p.package_name, p.purchase_id, p.voided_time
    having count(e.*) <> (p.voided_time is not null)::int`,
  'an event is one of a purchase that is there': `
    select e.package_name, e.purchase_id from event e
    left join purchase p using (package_name, purchase_id)
    where p.purchase_id is null and e.type <> 'test'`,
  'voids of an app are numbered 1, 2, 3 up to its counter': `
    select c.package_name, c.void_order, count(p.*) as voids, max(p.void_order) as last_void
    from app_counter c left join purchase p on p.package_name = c.package_name and p.void_order is not null
    group by c.package_name, c.void_order
    having count(p.*) <> c.void_order or coalesce(max(p.void_order), 0) <> c.void_order
      or count(distinct p.void_order) <> count(p.*)`,
  'the times of voids never turn back in their order': `
    select * from (
      select package_name, purchase_id, voided_time, void_order,
        lag(voided_time) over (partition by package_name order by void_order) as before
      from purchase where voided_time is not null) as ordered
    where voided_time < before`,
  'a subscription has its first purchase': `
    select s.package_name, s.first_purchase_id from subscription s
    left join purchase p on p.package_name = s.package_name and p.purchase_id = s.first_purchase_id
    where p.purchase_id is null`,
} as const;

/** Every violated rule with its rows; `{}` for a consistent ledger. */
export async function auditLedger(
  connection: object,
  rules: Readonly<Record<string, string>> = ledgerRules,
): Promise<Record<string, unknown[]>> {
  const broken: Record<string, unknown[]> = {};
  for (const [rule, sql] of Object.entries(rules)) {
    const rows = await query(connection, sql);
    if (rows.length > 0) broken[rule] = rows;
  }
  return broken;
}
