// The offers of the find box for a text: pages by their names, and the records that the search finds.

import { useDebouncedValue } from '@mantine/hooks';
import { spellingsOf } from '@opentill/contract/pasted-text.ts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client, type ResultOf } from '../api/client.ts';
import { linkTo, type PageTarget } from '../parts/page-link.tsx';
import { navigation, targetOf, useShownApp } from './navigation.ts';

export const comparedText =
  'Compares whole ids of purchases, orders, buyers, events, requests and deliveries, and the beginning of package names and product ids.';

/** After the last key, before a search. */
export const searchDelayMs = 150;

type SearchHit = ResultOf<'search'>['hits'][number];

export interface Offer {
  readonly key: string;
  readonly label: string;
  readonly about?: string;
  readonly target: PageTarget | ReturnType<typeof targetOf>;
}

/** Searches for the text and, if nothing is found, for the id in it. */
export const searchQuery = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    enabled: text !== '',
    async queryFn({ signal }) {
      const [given = text, id] = spellingsOf(text);
      const found = await client.search({ q: given }, { signal });
      return found.hits.length > 0 || id === undefined ? found : client.search({ q: id }, { signal });
    },
  });

/** Before the search has a response, its page is offered, which opens a single record by itself. */
export function useOffers(q: string): { readonly offers: readonly Offer[]; readonly error: unknown } {
  const packageName = useShownApp();
  const [asked] = useDebouncedValue(q, searchDelayMs);
  const { data, error, isFetching } = useQuery(searchQuery(asked));
  const isFound = asked === q && !isFetching;
  const pages = navigation
    .filter(({ label }) => label.toLowerCase().includes(q.trim().toLowerCase()))
    .map((entry) => ({ key: entry.to, label: entry.label, target: targetOf(entry, packageName) }));
  const found = isFound ? (data?.hits ?? []).map(offerOf) : [findOffer(q)];
  return { offers: q === '' ? pages : [...pages, ...found], error: isFound ? error : null };
}

const findOffer = (q: string): Offer => ({ key: 'find', label: `Find ${q.trim()}`, target: linkTo.find(q) });

const kindNames: Readonly<Record<SearchHit['kind'], string>> = {
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

export function offerOf(hit: SearchHit): Offer {
  const { kind, packageName, id, about } = hit;
  return {
    key: `${kind} ${packageName} ${id}`,
    label: `${kindNames[kind]} ${id}`,
    about: [kind !== 'app' && packageName, about].filter(Boolean).join(', '),
    target: targetOfHit(hit),
  };
}

function targetOfHit({ kind, id, packageName = '', subject }: SearchHit): PageTarget {
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
