// The kinds of records that the palette lists, and the page of each.

import type { SearchHit } from '../api/search.ts';
import { linkTo, type PageTarget } from '../parts/page-link.tsx';

export interface FoundRecord extends Omit<SearchHit, 'kind'> {
  readonly kind: SearchHit['kind'] | 'subscription';
}

export const kindNames: Readonly<Record<FoundRecord['kind'], string>> = {
  purchase: 'Purchase',
  subscription: 'Subscription',
  buyer: 'Buyer',
  delivery: 'Delivery',
  event: 'Event',
  action: 'Operator call',
  request: 'Logged call',
  app: 'App',
  product: 'Product',
};

export function linkToRecord({ kind, id, packageName = '', subject }: FoundRecord): PageTarget {
  switch (kind) {
    case 'purchase':
      return linkTo.purchase({ packageName, purchaseId: id });
    case 'subscription':
      return linkTo.subscription({ packageName, firstPurchaseId: id });
    case 'buyer':
      return linkTo.buyer(id);
    case 'delivery':
      return linkTo.delivery(packageName, id);
    case 'event':
      return subject === undefined
        ? linkTo.app(packageName, 'events')
        : linkTo.purchase({ packageName, purchaseId: subject });
    case 'action':
      return linkTo.audit(packageName === '' ? undefined : packageName, subject);
    case 'request':
      return linkTo.app(packageName, 'lab');
    case 'app':
      return linkTo.app(packageName);
    case 'product':
      return linkTo.app(packageName, 'products');
  }
}
