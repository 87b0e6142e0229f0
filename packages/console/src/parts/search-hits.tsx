// The kinds of what a search finds, and the page of each hit.

import {
  type Icon,
  IconApi,
  IconBell,
  IconDeviceMobile,
  IconPackage,
  IconReceipt,
  IconRefresh,
  IconShieldCheck,
  IconUser,
  IconWebhook,
} from '@tabler/icons-react';
import type { SearchHit } from '../api/search.ts';
import { linkTo, type PageTarget } from './page-link.tsx';

type Kind = SearchHit['kind'] | 'subscription';

export const kinds: Readonly<Record<Kind, { readonly name: string; readonly icon: Icon }>> = {
  purchase: { name: 'Purchase', icon: IconReceipt },
  subscription: { name: 'Subscription', icon: IconRefresh },
  buyer: { name: 'Buyer', icon: IconUser },
  delivery: { name: 'Delivery', icon: IconWebhook },
  event: { name: 'Event', icon: IconBell },
  action: { name: 'Operator call', icon: IconShieldCheck },
  request: { name: 'Logged call', icon: IconApi },
  app: { name: 'App', icon: IconDeviceMobile },
  product: { name: 'Product', icon: IconPackage },
};

/** The page of a hit. */
export function linkToHit({ kind, id, packageName = '', subject }: SearchHit): PageTarget {
  switch (kind) {
    case 'purchase':
      return linkTo.purchase({ packageName, purchaseId: id });
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
