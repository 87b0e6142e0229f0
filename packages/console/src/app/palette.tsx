// The palette (`/` and Ctrl-K): finds pages, apps and records. Without a text, it offers the records that were opened last.

import '@mantine/spotlight/styles.css';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { searchDelayMs, searchQuery } from '../api/search.ts';
import { linkTo } from '../parts/page-link.tsx';
import { Problem } from '../parts/problem.tsx';
import { navigation, targetOf, useShownApp } from './navigation.ts';
import { keyOf, recentRecords } from './recent-records.ts';
import { type FoundRecord, kindNames, linkToRecord } from './search-hits.ts';

export const comparedText =
  'Compares whole ids of purchases, orders, buyers, events, requests and deliveries, and the beginning of package names and product ids.';

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
        <Offers q={query.trim()} />
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
  const [asked] = useDebouncedValue(q, searchDelayMs);
  const search = useQuery(searchQuery(asked));
  const isFound = asked === q && !search.isFetching;
  const found = isFound && search.isSuccess ? search.data.hits : [];
  const pages = navigation.filter(({ label }) => label.toLowerCase().includes(q.toLowerCase()));
  const records = q === '' ? recentRecords() : found;
  if (isFound && search.error !== null) return <Problem error={search.error} />;
  return (
    <>
      {q === '' && <Records label="Opened last" records={records} />}
      <Pages pages={pages} />
      {q !== '' && <Records label="Found" records={records} />}
      {q !== '' && !isFound && <FindAction q={q} />}
      {isFound && records.length === 0 && pages.length === 0 && (
        <Spotlight.Empty>Nothing is found.</Spotlight.Empty>
      )}
    </>
  );
}

function Pages({ pages }: { readonly pages: typeof navigation }) {
  const navigate = useNavigate();
  const packageName = useShownApp();
  return (
    pages.length > 0 && (
      <Spotlight.ActionsGroup label="Pages">
        {pages.map((entry) => (
          <Spotlight.Action
            key={entry.to}
            label={entry.label}
            onClick={() => void navigate(targetOf(entry, packageName))}
          />
        ))}
      </Spotlight.ActionsGroup>
    )
  );
}

interface RecordsProps {
  readonly label: string;
  readonly records: readonly FoundRecord[];
}

function Records({ label, records }: RecordsProps) {
  const navigate = useNavigate();
  return (
    records.length > 0 && (
      <Spotlight.ActionsGroup label={label}>
        {records.map((record) => (
          <Spotlight.Action
            key={keyOf(record)}
            label={`${kindNames[record.kind]} ${record.id}`}
            description={[record.kind !== 'app' && record.packageName, record.about]
              .filter(Boolean)
              .join(', ')}
            onClick={() => void navigate(linkToRecord(record))}
          />
        ))}
      </Spotlight.ActionsGroup>
    )
  );
}

/** Enter right after a pasted id: the page of the search opens a single record by itself. */
function FindAction({ q }: { readonly q: string }) {
  const navigate = useNavigate();
  return <Spotlight.Action label={`Find ${q}`} onClick={() => void navigate(linkTo.find(q))} />;
}
