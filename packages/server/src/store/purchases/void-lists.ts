// Lists voided purchases for operators, newest first, with why they were voided.

import { ReasonCode } from '@opentill/contract/actions.ts';
import { PackageName, PurchaseId, Timestamp } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { type Page, type PageRequest, pagedList } from '../connection/paged-list.ts';
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

/** `app` is SQL for the package name of the actions; Citus reads one shard only if both tables are limited to it. */
const voidsOf = (name: string, app: string) =>
  pagedList({
    name,
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
        where a.subject = p.purchase_id and a.package_name = ${app}
          and a.operation_id = 'voidPurchase'
        order by a.made_at, a.action_order limit 1) as a on true
      where p.voided_time is not null and ${where} ${page}`,
  });

// Served by purchase_voided, backwards, and by operator_action_of_subject, once for each void.
const voidsOfAll = voidsOf('voids', 'p.package_name');

// Served by purchase_void_order or purchase_voided, backwards, and by operator_action_of_subject, once for each void.
const voidsOfApp = voidsOf('voids_of_app', '$packageName');

interface VoidFilter {
  readonly packageName?: string;
  /** Limits of the voidedTime in ms: from this instant, before that one. */
  readonly from?: number;
  readonly to?: number;
}

/** Voids of all apps or of one, newest first. */
export function listVoids(
  queryable: Queryable,
  filter: VoidFilter,
  page: PageRequest<Static<typeof VoidPosition>>,
): Promise<Page<VoidRow, Static<typeof VoidPosition>>> {
  return (filter.packageName === undefined ? voidsOfAll : voidsOfApp)(queryable, { ...filter }, page);
}
