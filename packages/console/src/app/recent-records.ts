// The records that were opened last, until the window is loaded again.

import type { FoundRecord } from './search-hits.ts';

const recordsMax = 5;

let records: readonly FoundRecord[] = [];

export function recentRecords(): readonly FoundRecord[] {
  return records;
}

type Parameters = Readonly<Record<string, string | undefined>>;

/** Notes the record that a page shows. */
export function noteRecent(path: Parameters, search: Parameters): void {
  const opened = recordOf(path, search);
  if (opened === undefined) return;
  const others = records.filter((record) => keyOf(record) !== keyOf(opened));
  records = [opened, ...others].slice(0, recordsMax);
}

export function keyOf({ kind, packageName = '', id }: FoundRecord): string {
  return `${kind} ${packageName} ${id}`;
}

function recordOf(path: Parameters, search: Parameters): FoundRecord | undefined {
  const { packageName, purchaseId, firstPurchaseId, deliveryId } = path;
  if (packageName === undefined) return search['id'] ? { kind: 'buyer', id: search['id'] } : undefined;
  if (purchaseId !== undefined) return { kind: 'purchase', id: purchaseId, packageName };
  if (firstPurchaseId !== undefined) return { kind: 'subscription', id: firstPurchaseId, packageName };
  if (deliveryId !== undefined) return { kind: 'delivery', id: deliveryId, packageName };
  return { kind: 'app', id: packageName, packageName };
}
