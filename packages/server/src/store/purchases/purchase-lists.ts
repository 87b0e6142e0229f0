// Lists of purchases for operators, newest first: of one app by filters, or of all apps by one value. Each page reads a
// limited number of rows, however few match the filters.

import { timestampMax } from '@opentill/contract/fields.ts';
import Type from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';
import { PurchaseRow, purchaseColumns } from './purchases.ts';

interface PurchaseFilter {
  readonly packageName: string;
  readonly productId: string | undefined;
  readonly buyerId: string | undefined;
  readonly state: 'completed' | 'consumed' | 'voided' | undefined;
  /** Limits of purchaseTime in ms: `from` is inclusive, `to` is exclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

interface PurchasePosition {
  readonly purchaseTime: number;
  readonly purchaseId: string;
}

interface PageRequest<Position> {
  /** The last position of the previous page. */
  readonly after: Position | undefined;
  readonly limit: number;
}

/** `next` is set while there may be more rows; a page may have fewer rows than its limit, even none. */
interface PageOfPurchases<Position> {
  readonly rows: readonly PurchaseRow[];
  readonly next: Position | undefined;
}

/** Rows that one page scans for a product or a state, which no index serves: some tens of ms. */
export const scannedRowsMax = 10_000;

const newestPossible: PurchasePosition = { purchaseTime: timestampMax + 1, purchaseId: '' };
const oldestPossible: PurchasePosition = { purchaseTime: 0, purchaseId: '' };

/** The index column between the package name and the time, with the parameter that it equals. */
interface Scope {
  readonly condition: string;
  readonly column: string;
  readonly value: string;
}

const wholeApp: Scope = { condition: '', column: '', value: '' };

// The buyer is part of each comparison, so that a generic plan uses purchase_buyer instead of purchase_by_time, which would
// read the whole app.
const oneBuyer = (parameter: string): Scope => ({
  condition: `and p.buyer_id = ${parameter}`,
  column: 'p.buyer_id, ',
  value: `${parameter}, `,
});

const newestFirst = 'order by p.purchase_time desc, p.purchase_id desc';

const inRange = ({ condition, column, value }: Scope) => `p.package_name = $1 ${condition}
  and (${column}p.purchase_time) >= (${value}$2::bigint) and (${column}p.purchase_time) < (${value}$3::bigint)
  and (${column}p.purchase_time, p.purchase_id) < (${value}$4::bigint, $5::text)`;

const scanEndText = (scope: Scope) => `
  select p.purchase_time as "purchaseTime", p.purchase_id as "purchaseId" from purchase p
  where ${inRange(scope)} ${newestFirst} offset $6 limit 1`;

const listText = (scope: Scope) => `
  select ${purchaseColumns} from purchase p
  where ${inRange(scope)}
    and (${scope.column}p.purchase_time, p.purchase_id) >= (${scope.value}$6::bigint, $7::text)
    and ($8::text is null or p.product_id = $8)
    and ($9::text is null or $9 = case when p.voided_time is not null then 'voided'
      when p.consumed_time is not null then 'consumed' else 'completed' end)
  ${newestFirst} limit $10`;

const Position = Type.Object({ purchaseTime: Type.Integer(), purchaseId: Type.String() });

// Served by purchase_by_time, backwards.
const ofApp = {
  scanEnd: statement({ name: 'select_scan_end', text: scanEndText(wholeApp), row: Position }),
  list: statement({ name: 'select_purchases', text: listText(wholeApp), row: PurchaseRow }),
};

// Served by purchase_buyer, backwards.
const ofBuyer = {
  scanEnd: statement({
    name: 'select_scan_end_of_buyer',
    text: scanEndText(oneBuyer('$7::text')),
    row: Position,
  }),
  list: statement({
    name: 'select_purchases_of_buyer',
    text: listText(oneBuyer('$11::text')),
    row: PurchaseRow,
  }),
};

/** A page of one app's purchases by (purchaseTime, purchaseId), newest first. */
export async function listPurchases(
  queryable: Queryable,
  filter: PurchaseFilter,
  page: PageRequest<PurchasePosition>,
): Promise<PageOfPurchases<PurchasePosition>> {
  const { productId = null, state = null, buyerId } = filter;
  const { scanEnd, list } = buyerId === undefined ? ofApp : ofBuyer;
  const scope = buyerId === undefined ? [] : [buyerId];
  const after = page.after ?? newestPossible;
  const range = [
    filter.packageName,
    filter.from ?? oldestPossible.purchaseTime,
    filter.to ?? newestPossible.purchaseTime,
    after.purchaseTime,
    after.purchaseId,
  ];
  const needsBound = productId !== null || state !== null;
  const [end] = needsBound ? await queryable.rows(scanEnd, [...range, scannedRowsMax - 1, ...scope]) : [];
  const { purchaseTime, purchaseId } = end ?? oldestPossible;
  const rows = await queryable.rows(list, [
    ...range,
    purchaseTime,
    purchaseId,
    productId,
    state,
    page.limit + 1,
    ...scope,
  ]);
  const listed = rows.slice(0, page.limit);
  return { rows: listed, next: rows.length > page.limit ? listed.at(-1) : end };
}

export type SearchedValue =
  | { readonly purchaseId: string }
  | { readonly orderId: string }
  | { readonly buyerId: string };

interface SearchPosition extends PurchasePosition {
  readonly packageName: string;
}

// The indexes start with the package name, so that each app is searched. The names are from app_counter, since Citus
// rejects a limit for each row of a reference table such as app.
const searchText = (condition: string) => `
  select ${purchaseColumns} from app_counter c
  cross join lateral (
    select p.* from purchase p
    where p.package_name = c.package_name and ${condition} and p.purchase_time <= $2
      and (p.purchase_time, p.package_name, p.purchase_id) < ($2::bigint, $3::text, $4::text)
    ${newestFirst} limit $5
  ) p
  order by p.purchase_time desc, p.package_name desc, p.purchase_id desc limit $5`;

// Served by the primary key of purchase, once for each app.
const searchByPurchaseId = statement({
  name: 'search_purchases_by_id',
  text: searchText('p.purchase_id = $1'),
  row: PurchaseRow,
});

// Served by purchase_order_id, once for each app.
const searchByOrderId = statement({
  name: 'search_purchases_by_order',
  text: searchText('p.order_id = $1'),
  row: PurchaseRow,
});

// Served by purchase_buyer, once for each app and backwards.
const searchByBuyerId = statement({
  name: 'search_purchases_by_buyer',
  text: searchText('p.buyer_id = $1'),
  row: PurchaseRow,
});

/** A page of the purchases of all apps that have this value, newest first. */
export async function searchPurchases(
  queryable: Queryable,
  searched: SearchedValue,
  page: PageRequest<SearchPosition>,
): Promise<PageOfPurchases<SearchPosition>> {
  const after = page.after ?? { ...newestPossible, packageName: '' };
  const position = [after.purchaseTime, after.packageName, after.purchaseId, page.limit + 1];
  const rows = await searchOne(queryable, searched, position);
  const listed = rows.slice(0, page.limit);
  return { rows: listed, next: rows.length > page.limit ? listed.at(-1) : undefined };
}

function searchOne(
  queryable: Queryable,
  searched: SearchedValue,
  position: readonly unknown[],
): Promise<PurchaseRow[]> {
  if ('purchaseId' in searched) return queryable.rows(searchByPurchaseId, [searched.purchaseId, ...position]);
  if ('orderId' in searched) return queryable.rows(searchByOrderId, [searched.orderId, ...position]);
  return queryable.rows(searchByBuyerId, [searched.buyerId, ...position]);
}

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
