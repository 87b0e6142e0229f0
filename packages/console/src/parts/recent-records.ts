// The records that were opened last, until the window is loaded again.

import { useSyncExternalStore } from 'react';
import { linkTo, type PageTarget } from './page-link.tsx';

export interface RecentRecord {
  readonly kind: 'purchase' | 'subscription' | 'buyer' | 'delivery' | 'app';
  readonly id: string;
  /** Of a record of an app. */
  readonly packageName?: string | undefined;
  readonly target: PageTarget;
}

const recordsMax = 5;

let records: readonly RecentRecord[] = [];
const listeners = new Set<() => void>();

interface OpenedPage {
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly pathname: string;
  readonly search: Readonly<Record<string, string | undefined>>;
}

/** Notes the record of a page, unless it shows none. */
export function noteRecent(page: OpenedPage): void {
  const opened = recordOf(page);
  if (opened === undefined) return;
  const others = records.filter(
    ({ kind, id, packageName }) =>
      kind !== opened.kind || id !== opened.id || packageName !== opened.packageName,
  );
  records = [opened, ...others].slice(0, recordsMax);
  for (const listener of listeners) listener();
}

function recordOf({ params, pathname, search }: OpenedPage): RecentRecord | undefined {
  const { packageName, purchaseId, firstPurchaseId, deliveryId } = params;
  const { id } = search;
  if (pathname === '/buyer' && id !== undefined) return { kind: 'buyer', id, target: linkTo.buyer(id) };
  if (packageName === undefined) return undefined;
  if (purchaseId !== undefined) {
    const target = linkTo.purchase({ packageName, purchaseId });
    return { kind: 'purchase', id: purchaseId, packageName, target };
  }
  if (firstPurchaseId !== undefined) {
    const target = linkTo.subscription({ packageName, firstPurchaseId });
    return { kind: 'subscription', id: firstPurchaseId, packageName, target };
  }
  if (deliveryId !== undefined) {
    return {
      kind: 'delivery',
      id: deliveryId,
      packageName,
      target: linkTo.delivery(packageName, deliveryId),
    };
  }
  return { kind: 'app', id: packageName, target: linkTo.app(packageName) };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useRecentRecords(): readonly RecentRecord[] {
  return useSyncExternalStore(subscribe, () => records);
}
