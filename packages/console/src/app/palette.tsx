// The palette (`/` and Ctrl-K): finds pages, apps and records.

import '@mantine/spotlight/styles.css';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { spellingsOf } from '@opentill/contract/pasted-text.ts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { client, type ResultOf } from '../api/client.ts';
import { linkTo, type PageTarget } from '../parts/page-link.tsx';
import { Problem } from '../parts/problem.tsx';
import { navigation, targetOf, useShownApp } from './navigation.ts';

export const comparedText =
  'Compares whole ids of purchases, orders, buyers, events, requests and deliveries, and the beginning of package names and product ids.';

/** After the last key, before a search. */
const searchDelayMs = 150;

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

interface PaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** What is searched for when it opens. */
  readonly text?: string;
}

export function Palette({ isOpen, onClose, text = '' }: PaletteProps) {
  const [[store, { open }]] = useState(createSpotlight);
  const [query, setQuery] = useState(text);
  useEffect(() => {
    if (isOpen) open();
  }, [isOpen, open]);
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      attributes={{ content: { 'aria-label': 'Find' } }}
      scrollable
      maxHeight="calc(100dvh - 10rem)"
    >
      <Spotlight.Search
        aria-label="Find"
        placeholder="A page, an app or a record"
        autoComplete="off"
        onKeyDown={openFirst}
      />
      {/* Leaves room for the field above and the footer below it. */}
      <Spotlight.ActionsList mah="calc(100dvh - 20rem)">
        <Offers q={query.trim() === '' ? '' : query} />
      </Spotlight.ActionsList>
      <Spotlight.Footer fz="xs" c="dimmed">
        {comparedText}
      </Spotlight.Footer>
    </Spotlight.Root>
  );
}

/** Hits that arrive after the last key are not selected: Enter opens the first. */
function openFirst({ key, currentTarget }: KeyboardEvent<HTMLInputElement>): void {
  const dialog = currentTarget.closest('[role="dialog"]');
  if (key !== 'Enter' || dialog?.querySelector('[data-selected]') !== null) return;
  dialog.querySelector<HTMLElement>('[data-action]')?.click();
}

function Offers({ q }: { readonly q: string }) {
  const navigate = useNavigate();
  const packageName = useShownApp();
  const [asked] = useDebouncedValue(q, searchDelayMs);
  const search = useQuery(searchQuery(asked));
  const isFound = asked === q && !search.isFetching;
  const hits = q !== '' && isFound && search.isSuccess ? search.data.hits : [];
  const pages = navigation.filter(({ label }) => label.toLowerCase().includes(q.trim().toLowerCase()));
  if (isFound && search.error !== null) return <Problem error={search.error} />;
  return (
    <>
      {pages.length > 0 && (
        <Spotlight.ActionsGroup label="Pages">
          {pages.map((entry) => (
            <Spotlight.Action
              key={entry.to}
              label={entry.label}
              onClick={() => void navigate(targetOf(entry, packageName))}
            />
          ))}
        </Spotlight.ActionsGroup>
      )}
      {hits.length > 0 && (
        <Spotlight.ActionsGroup label="Found">
          {hits.map((hit) => (
            <Spotlight.Action
              key={`${hit.kind} ${hit.packageName} ${hit.id}`}
              label={`${kindNames[hit.kind]} ${hit.id}`}
              description={[hit.kind !== 'app' && hit.packageName, hit.about].filter(Boolean).join(', ')}
              onClick={() => void navigate(linkToHit(hit))}
            />
          ))}
        </Spotlight.ActionsGroup>
      )}
      {/* Enter right after a pasted id: the page of the search opens a single record by itself. */}
      {q !== '' && !isFound && (
        <Spotlight.Action label={`Find ${q}`} onClick={() => void navigate(linkTo.find(q))} />
      )}
      {isFound && hits.length === 0 && pages.length === 0 && (
        <Spotlight.Empty>Nothing is found.</Spotlight.Empty>
      )}
    </>
  );
}

type SearchHit = ResultOf<'search'>['hits'][number];

const kindNames: Readonly<Record<SearchHit['kind'], string>> = {
  purchase: 'Purchase',
  buyer: 'Buyer',
  delivery: 'Delivery',
  event: 'Event',
  action: 'Operator call',
  request: 'Logged call',
  app: 'App',
  product: 'Product',
};

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
