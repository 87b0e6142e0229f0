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
export function linkToHit(hit: SearchHit): PageTarget {
  switch (hit.kind) {
    case 'purchase':
      return linkTo.purchase({ packageName: hit.packageName, purchaseId: hit.id });
    case 'buyer':
      return linkTo.buyer(hit.id);
    case 'delivery':
      return linkTo.delivery(hit.packageName, hit.id);
    case 'event':
      return hit.purchaseId === undefined
        ? linkTo.app(hit.packageName, 'events')
        : linkTo.purchase({ packageName: hit.packageName, purchaseId: hit.purchaseId });
    case 'action':
      return linkTo.audit(hit.packageName, hit.subject);
    case 'request':
      return linkTo.app(hit.packageName, 'lab');
    case 'app':
      return linkTo.app(hit.packageName);
    case 'product':
      return linkTo.app(hit.packageName, 'products');
  }
}
