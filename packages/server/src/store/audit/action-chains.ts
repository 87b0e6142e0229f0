// Reads whole chains of actions and their heads, for checks and for the log.

import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { Bytes, NoRow, nullable, statement, unchecked } from '../connection/statement.ts';
import { operatorAction } from '../tables/audit.ts';
import { type RowOf, selectList } from '../tables/table.ts';

const Chain = Type.Object({
  order: Type.Integer(),
  head: nullable(Bytes),
  /** Where there is an action that is not counted: 0 before the first one, or after the last one. */
  inserted: nullable(Type.Integer()),
});

/** SQL: whether the app has an action with such an order. Served by the primary key. */
const hasAction = (condition: string) =>
  `exists (select from operator_action a where a.package_name = $1 and a.action_order ${condition})`;

// Served by the primary keys.
const selectChain = statement({
  name: 'select_action_chain',
  text: `select c.action_order as "order", c.action_head as head,
      case when ${hasAction('< 1')} then 0 when ${hasAction('> c.action_order')} then c.action_order + 1 end as inserted
    from app_counter c where c.package_name = $1`,
  row: Chain,
});

// Served by the primary key, in its order. Values that no server writes are read as well, because the hash reveals them;
// a time that the driver cannot read counts as a missing action.
const selectChainPage = statement({
  name: 'select_action_chain_page',
  text: `select ${selectList(operatorAction, 'a')} from operator_action a
    where a.package_name = $1 and a.action_order > $2 and a.made_at between 0 and ${Number.MAX_SAFE_INTEGER}
    order by a.action_order limit $3`,
  row: unchecked<RowOf<typeof operatorAction>>(),
});

// Served by the primary key, in its order.
const selectChainNames = statement({
  name: 'select_action_chain_names',
  text: `select package_name as "packageName" from app_counter where ($1::text is null or package_name > $1)
    order by package_name limit $2`,
  row: Type.Object({ packageName: Type.String() }),
});

const GrownChain = Type.Object({ packageName: Type.String(), order: Type.Integer(), head: Bytes });
type GrownChain = Static<typeof GrownChain>;

// Served by app_counter_grown. A logging time in the future is that of a wrong clock.
const selectGrownChains = statement({
  name: 'select_grown_chains',
  text: `select package_name as "packageName", action_order as "order", action_head as head from app_counter
    where action_order > action_logged_order and action_logged_at not between $1 and $2
    order by package_name limit $3`,
  row: GrownChain,
});

// Served by the primary key.
const markLogged = statement({
  name: 'mark_chain_logged',
  text: `update app_counter set action_logged_order = $2, action_logged_at = $3
    where package_name = $1 and action_logged_order < $2`,
  row: NoRow,
});

/** The order and the hash of the last action of an app; undefined for an unknown app. */
export async function findChain(
  queryable: Queryable,
  packageName: string,
): Promise<Static<typeof Chain> | undefined> {
  return (await queryable.rows(selectChain, [packageName]))[0];
}

/** Actions of an app after an order (exclusive), oldest first. */
export function listChain(
  queryable: Queryable,
  { packageName, after, limit }: { packageName: string; after: number; limit: number },
): Promise<RowOf<typeof operatorAction>[]> {
  return queryable.rows(selectChainPage, [packageName, after, limit]);
}

/** The package names of all chains in their order, after the given one; `noApp` is the first. */
export async function listChainNames(
  queryable: Queryable,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await queryable.rows(selectChainNames, [after ?? null, limit]);
  return rows.map(({ packageName }) => packageName);
}

/** Chains that have grown since they were last logged and were not logged between `since` and `now`, at most `limit`. */
export function listGrownChains(
  queryable: Queryable,
  { since, now, limit }: { since: number; now: number; limit: number },
): Promise<GrownChain[]> {
  return queryable.rows(selectGrownChains, [since, now, limit]);
}

export async function markChainLogged(
  queryable: Queryable,
  { packageName, order, now }: { packageName: string; order: number; now: number },
): Promise<void> {
  await queryable.rows(markLogged, [packageName, order, now]);
}
