// Lists of purchases for operators, newest first: of one app or of all apps, by filters. Each page reads a limited number
// of rows, however few match the filters.

import { PackageName, PurchaseId, Timestamp } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { joinedPage, type Page, type PageRequest, pagedList } from '../statements/paged-list.ts';
import { PurchaseRow, purchaseColumns } from './purchases.ts';

interface PurchaseFilter {
  /** Absent for all apps, which have no filters by product and state, except the state voided. */
  readonly packageName?: string | undefined;
  /** That of a purchase, an order or a buyer. */
  readonly id?: string | undefined;
  readonly purchaseId?: string | undefined;
  readonly orderId?: string | undefined;
  readonly buyerId?: string | undefined;
  readonly productId?: string | undefined;
  readonly state?: 'completed' | 'consumed' | 'voided' | undefined;
  /** Limits of purchaseTime, or of voidedTime for the state voided without an id, in ms: `from` is inclusive, `to` is exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** `time` is the purchaseTime, or the voidedTime in a list of voided purchases. */
export const PurchasePosition = Type.Object({
  time: Timestamp,
  packageName: PackageName,
  purchaseId: PurchaseId,
});
type PurchasePosition = Static<typeof PurchasePosition>;

const ListedRow = Type.Object({ ...PurchaseRow.properties, time: Type.Integer() });

interface ListForm {
  readonly name: string;
  readonly time: 'p.purchase_time' | 'p.voided_time';
  /** Precedes the time in the index, which no generic plan would use if only the time were compared. */
  readonly lead?: readonly [column: string, value: string];
  /** Filters that the index does not serve. */
  readonly scanned: readonly ('productId' | 'state')[];
  /**
   * Whether the index begins with the package name and all apps are listed: then each app is searched. The names are from
   * app_counter, since Citus rejects a limit for each row of a reference table such as app.
   */
  readonly eachApp?: true;
}

const purchasesBy = ({ name, time, lead, scanned, eachApp }: ListForm) => {
  const [column, value] = lead === undefined ? ['', ''] : lead.map((part) => `${part}, `);
  const order = { time, packageName: 'p.package_name', purchaseId: 'p.purchase_id' };
  return pagedList({
    name,
    row: ListedRow,
    position: PurchasePosition,
    order,
    direction: 'desc',
    ...(lead && { lead }),
    filters: {
      packageName: 'p.package_name = $packageName',
      isVoided: 'p.voided_time is not null',
      purchaseId: 'p.purchase_id = $purchaseId',
      orderId: 'p.order_id = $orderId',
      buyerId: 'p.buyer_id = $buyerId',
      from: `(${column}${time}) >= (${value}$from::bigint)`,
      to: `(${column}${time}) < (${value}$to::bigint)`,
      productId: 'p.product_id = $productId',
      state: `$state::text = case when p.consumed_time is not null then 'consumed' else 'completed' end
        and p.voided_time is null`,
    },
    scan: { table: 'purchase p', filters: scanned },
    text: ({ where, page }) => {
      const columns = `${purchaseColumns}, ${time} as time`;
      if (!eachApp) return `select ${columns} from purchase p where ${where} ${page}`;
      return `select ${columns} from app_counter c
        cross join lateral (
          select p.* from purchase p where p.package_name = c.package_name and ${where} ${page}) p
        ${page}`;
    },
  });
};

const byTime = { time: 'p.purchase_time', scanned: ['productId', 'state'] } as const;
const byBuyer = { ...byTime, lead: ['p.buyer_id', '$buyerId'] } as const;
const byVoid = { time: 'p.voided_time', scanned: ['productId'] } as const;

const lists = {
  // Served by purchase_by_time, backwards, by the primary key or by purchase_order_id; of all apps, once for each app.
  time: {
    ofApp: purchasesBy({ name: 'purchases', ...byTime }),
    ofAll: purchasesBy({ name: 'purchases_of_all', ...byTime, eachApp: true }),
  },
  // Served by purchase_buyer, backwards; of all apps, once for each app.
  buyer: {
    ofApp: purchasesBy({ name: 'purchases_of_buyer', ...byBuyer }),
    ofAll: purchasesBy({ name: 'purchases_of_buyer_in_all', ...byBuyer, eachApp: true }),
  },
  // Served by purchase_void_order for an app, and by purchase_voided for all apps, backwards.
  voided: {
    ofApp: purchasesBy({ name: 'voided_purchases', ...byVoid }),
    ofAll: purchasesBy({ name: 'voided_purchases_of_all', ...byVoid }),
  },
};

/**
 * A page of the purchases of one app or of all, the latest purchaseTime first, or the latest voidedTime of voided ones that
 * no id limits.
 */
export async function listPurchases(
  queryable: Queryable,
  { id, ...filter }: PurchaseFilter,
  page: PageRequest<PurchasePosition>,
): Promise<Page<PurchaseRow, PurchasePosition>> {
  if (id === undefined) return readList(queryable, filter, page);
  // One after another, because each may read a row of every app.
  const pages = [
    await readList(queryable, { purchaseId: id, ...filter }, page),
    await readList(queryable, { orderId: id, ...filter }, page),
    await readList(queryable, { buyerId: id, ...filter }, page),
  ];
  return joinedPage(['time', 'packageName', 'purchaseId'], pages, page.limit);
}

function readList(
  queryable: Queryable,
  { state, ...filter }: PurchaseFilter,
  page: PageRequest<PurchasePosition>,
): Promise<Page<Static<typeof ListedRow>, PurchasePosition>> {
  const scope = filter.packageName === undefined ? 'ofAll' : 'ofApp';
  const isOfId = (filter.purchaseId ?? filter.orderId) !== undefined;
  const values = state === 'voided' ? { ...filter, isVoided: true } : { ...filter, state };
  if (filter.buyerId !== undefined) return lists.buyer[scope](queryable, values, page);
  return (state === 'voided' && !isOfId ? lists.voided : lists.time)[scope](queryable, values, page);
}
