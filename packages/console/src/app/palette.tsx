// The palette (Ctrl-K): pages, records, and last what changes something on the current page.

import '@mantine/spotlight/styles.css';
import { openSpotlight, Spotlight } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useOffers } from '../parts/find-offers.tsx';
import { usePageActions } from '../parts/page-actions.ts';
import { linkTo } from '../parts/page-link.tsx';
import { pageOfTitle } from '../parts/page-title.ts';
import { useChosenApp } from '../parts/preferences.ts';
import { kinds } from '../parts/search-hits.tsx';
import { navigation, targetOf } from './navigation.ts';

interface PaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function Palette({ isOpen, onClose }: PaletteProps) {
  const [query, setQuery] = useState('');
  const commands = useCommands(query.trim());
  useEffect(() => {
    if (isOpen) openSpotlight();
  }, [isOpen]);
  return (
    <Spotlight
      shortcut={null}
      actions={commands}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      attributes={{ content: { 'aria-label': 'Commands' } }}
      searchProps={{
        'aria-label': 'Command',
        placeholder: 'A page, a record or an action',
        autoComplete: 'off',
      }}
      scrollable
    />
  );
}

/** What changes something comes last, and what ends something last of all, so that Enter never does by accident. */
function useCommands(q: string) {
  const navigate = useNavigate();
  const [packageName] = useChosenApp();
  const offers = useOffers(q);
  const pageActions = usePageActions().toSorted(
    (left, right) => Number(left.isEnding) - Number(right.isEnding),
  );
  const page = pageOfTitle(document.title);
  return [
    ...navigation.map((entry) => ({
      group: 'Pages',
      id: entry.to,
      label: `Go to ${entry.label}`,
      onClick: () => void navigate(targetOf(entry, packageName)),
    })),
    ...offers.map(({ kind, id, packageName: app = '', target }) => ({
      group: q === '' ? 'Opened last' : 'Found',
      id: `${kind} ${app} ${id}`,
      label: `${kinds[kind].name} ${id}`,
      description: app,
      keywords: q,
      onClick: () => void navigate(target),
    })),
    ...(q === ''
      ? []
      : [{ group: 'Found', id: 'find', label: `Find ${q}`, onClick: () => void navigate(linkTo.find(q)) }]),
    ...pageActions.map(({ label, command = `${label}: ${page}`, run }) => ({
      group: 'Changes on this page',
      id: command,
      label: command,
      onClick: run,
    })),
  ];
}
