// Lists of purchases for operators, newest first: of one app by filters, or of all apps. Each page reads a limited number
// of rows, however few match the filters.

import { PackageName, PurchaseId, Timestamp } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { type Page, type PageRequest, pagedList } from '../connection/paged-list.ts';
import { statement } from '../connection/statement.ts';
import { PurchaseRow, purchaseColumns } from './purchases.ts';

interface PurchaseFilter {
  readonly packageName: string;
  readonly productId?: string | undefined;
  readonly buyerId?: string | undefined;
  readonly state?: 'completed' | 'consumed' | 'voided' | undefined;
  /** Limits of purchaseTime in ms: `from` is inclusive, `to` is exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export const PurchasePosition = Type.Object({ purchaseTime: Timestamp, purchaseId: PurchaseId });
type PurchasePosition = Static<typeof PurchasePosition>;

const newestFirst = 'order by p.purchase_time desc, p.purchase_id desc';

/** `lead` precedes the time in the index, which no generic plan would use if only the time were compared. */
const purchasesBy = (name: string, lead?: readonly [column: string, value: string]) => {
  const [column, value] = lead === undefined ? ['', ''] : lead.map((part) => `${part}, `);
  return pagedList({
    name,
    row: PurchaseRow,
    position: PurchasePosition,
    order: { purchaseTime: 'p.purchase_time', purchaseId: 'p.purchase_id' },
    direction: 'desc',
    ...(lead && { lead }),
    filters: {
      packageName: 'p.package_name = $packageName',
      buyerId: 'p.buyer_id = $buyerId',
      from: `(${column}p.purchase_time) >= (${value}$from::bigint)`,
      to: `(${column}p.purchase_time) < (${value}$to::bigint)`,
      productId: 'p.product_id = $productId',
      state: `$state::text = case when p.voided_time is not null then 'voided'
        when p.consumed_time is not null then 'consumed' else 'completed' end`,
    },
    scan: { table: 'purchase p', filters: ['productId', 'state'] },
    text: ({ where, page }) => `select ${purchaseColumns} from purchase p where ${where} ${page}`,
  });
};

// Served by purchase_by_time, backwards.
const purchasesOfApp = purchasesBy('purchases');

// Served by purchase_buyer, backwards.
const purchasesOfBuyer = purchasesBy('purchases_of_buyer', ['p.buyer_id', '$buyerId']);

/** A page of one app's purchases, newest first. */
export function listPurchases(
  queryable: Queryable,
  filter: PurchaseFilter,
  page: PageRequest<PurchasePosition>,
): Promise<Page<PurchaseRow, PurchasePosition>> {
  const list = filter.buyerId === undefined ? purchasesOfApp : purchasesOfBuyer;
  return list(queryable, { ...filter }, page);
}

export type SearchedValue =
  | { readonly purchaseId: string }
  | { readonly orderId: string }
  | { readonly buyerId: string };

export const FoundPosition = Type.Object({
  purchaseTime: Timestamp,
  packageName: PackageName,
  purchaseId: PurchaseId,
});

/**
 * A page of the purchases of all apps, or of those that have a SearchedValue, newest first. The indexes start with the
 * package name, so each app is searched: served by the primary key of purchase, by purchase_order_id, or backwards by
 * purchase_buyer or purchase_by_time, once for each app. The names are from app_counter, since Citus rejects a limit for
 * each row of a reference table such as app.
 */
export const searchPurchases = pagedList({
  name: 'found_purchases',
  row: PurchaseRow,
  position: FoundPosition,
  order: {
    purchaseTime: 'p.purchase_time',
    packageName: 'p.package_name',
    purchaseId: 'p.purchase_id',
  },
  direction: 'desc',
  filters: {
    purchaseId: 'p.purchase_id = $purchaseId',
    orderId: 'p.order_id = $orderId',
    buyerId: 'p.buyer_id = $buyerId',
  },
  text: ({ where, page }) => `select ${purchaseColumns} from app_counter c
    cross join lateral (
      select p.* from purchase p where p.package_name = c.package_name and ${where} ${newestFirst} limit $limit) p
    ${page}`,
});

// Served by the primary key, which it reads up to the offset.
const selectPurchaseAt = statement({
  name: 'select_purchase_at',
  text: `select purchase_id as "purchaseId" from purchase where package_name = $1
    order by purchase_id offset $2 limit 1`,
  row: Type.Object({ purchaseId: Type.String() }),
});

/** Whether an app has at least this many purchases. */
export async function hasPurchases(
  queryable: Queryable,
  packageName: string,
  count: number,
): Promise<boolean> {
  return (await queryable.rows(selectPurchaseAt, [packageName, count - 1])).length > 0;
}
