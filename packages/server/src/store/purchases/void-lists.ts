// Lists voided purchases for operators, newest first, with why they were voided.

import { ReasonCode } from '@opentill/contract/actions.ts';
import { PackageName, PurchaseId, Timestamp } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import { pagedList } from '../connection/paged-list.ts';
import { nullable } from '../connection/statement.ts';
import { PurchaseRow, purchaseColumns } from './purchases.ts';

const VoidRow = Type.Object({
  ...PurchaseRow.properties,
  voidedTime: Type.Integer(),
  reasonCode: nullable(ReasonCode),
  note: nullable(Type.String()),
  ticket: nullable(Type.String()),
});
export type VoidRow = Static<typeof VoidRow>;

export const VoidPosition = Type.Object({
  voidedTime: Timestamp,
  packageName: PackageName,
  purchaseId: PurchaseId,
});

/**
 * Voids of all apps or of one, newest first, `from` a voidedTime and before another. Served by purchase_voided, or by
 * purchase_void_order for one app, backwards, and by operator_action_of_subject, once for each void.
 */
export const listVoids = pagedList({
  name: 'voids',
  row: VoidRow,
  position: VoidPosition,
  order: { voidedTime: 'p.voided_time', packageName: 'p.package_name', purchaseId: 'p.purchase_id' },
  direction: 'desc',
  filters: {
    packageName: 'p.package_name = $packageName',
    from: 'p.voided_time >= $from',
    to: 'p.voided_time < $to',
  },
  text: ({ where, page }) => `
    select ${purchaseColumns}, a.reason_code as "reasonCode", a.note, a.ticket from purchase p
    left join lateral (
      select a.reason_code, a.note, a.ticket from operator_action a
      where a.subject = p.purchase_id and a.package_name = p.package_name
        and a.operation_id = 'voidPurchase' and a.outcome = 'success'
      order by a.made_at, a.action_order limit 1) as a on true
    where p.voided_time is not null and ${where} ${page}`,
});
