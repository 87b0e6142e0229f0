// Lists voided purchases for operators, newest first, with why they were voided.

import { ReasonCode } from '@opentill/contract/actions.ts';
import { timestampMax, timestampMin } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { nullable, statement } from '../connection/statement.ts';
import { PurchaseRow, purchaseColumns } from './purchases.ts';

const VoidRow = Type.Object({
  ...PurchaseRow.properties,
  voidedTime: Type.Integer(),
  reasonCode: nullable(ReasonCode),
  note: nullable(Type.String()),
  ticket: nullable(Type.String()),
});
export type VoidRow = Static<typeof VoidRow>;

const listText = (scope: string, app: string) => `
  select ${purchaseColumns}, a.reason_code as "reasonCode", a.note, a.ticket from purchase p
  left join lateral (
    select a.reason_code, a.note, a.ticket from operator_action a
    where a.subject = p.purchase_id and a.package_name = ${app}
      and a.operation_id = 'voidPurchase' and a.outcome = 'success'
    order by a.made_at, a.action_order limit 1) as a on true
  where ${scope} and p.voided_time >= $1 and p.voided_time < $2
    and (p.voided_time, p.package_name, p.purchase_id) < ($3::bigint, $4::text, $5::text)
  order by p.voided_time desc, p.package_name desc, p.purchase_id desc limit $6`;

// Served by purchase_voided, backwards, and by operator_action_of_subject, once for each void.
const selectVoids = statement({
  name: 'select_voids',
  text: listText('true', 'p.package_name'),
  row: VoidRow,
});

// Served by purchase_void_order, backwards, and by operator_action_of_subject, once for each void.
const selectVoidsOfApp = statement({
  name: 'select_voids_of_app',
  text: listText('p.package_name = $7', '$7'),
  row: VoidRow,
});

interface VoidFilter {
  readonly packageName?: string;
  /** Bounds of the voidedTime, ms: from this instant, before that one. */
  readonly from?: number;
  readonly to?: number;
}

type VoidPosition = Pick<VoidRow, 'voidedTime' | 'packageName' | 'purchaseId'>;

const newestPossible: VoidPosition = { voidedTime: timestampMax + 1, packageName: '', purchaseId: '' };

/** Voids of all apps or of one, newest first, at most `limit`, after the last position of the previous page. */
export function listVoids(
  queryable: Queryable,
  { packageName, from, to }: VoidFilter,
  { after = newestPossible, limit }: { readonly after: VoidPosition | undefined; readonly limit: number },
): Promise<VoidRow[]> {
  const values = [
    from ?? timestampMin,
    to ?? newestPossible.voidedTime,
    after.voidedTime,
    after.packageName,
    after.purchaseId,
    limit,
  ];
  if (packageName === undefined) return queryable.rows(selectVoids, values);
  return queryable.rows(selectVoidsOfApp, [...values, packageName]);
}
