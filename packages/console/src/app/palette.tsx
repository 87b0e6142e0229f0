// The palette (Ctrl-K): the pages, and the actions of the current page.

import '@mantine/spotlight/styles.css';
import { openSpotlight, Spotlight } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { usePageActions } from '../parts/page-actions.ts';
import { linkTo } from '../parts/page-link.tsx';
import { navigation } from './navigation.ts';

interface PaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function Palette({ isOpen, onClose }: PaletteProps) {
  const navigate = useNavigate();
  const pageActions = usePageActions();
  const [query, setQuery] = useState('');
  useEffect(() => {
    if (isOpen) openSpotlight();
  }, [isOpen]);
  const q = query.trim();
  const actions = [
    ...pageActions.map(({ label, run }) => ({ id: label, label, onClick: run })),
    ...navigation.map(({ label, to }) => ({
      id: to,
      label: `Go to ${label}`,
      onClick: () => void navigate({ to }),
    })),
    ...(q === '' ? [] : [{ id: 'find', label: `Find ${q}`, onClick: () => void navigate(linkTo.find(q)) }]),
  ];
  return (
    <Spotlight
      shortcut={null}
      actions={actions}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      attributes={{ content: { 'aria-label': 'Commands' } }}
      searchProps={{
        'aria-label': 'Command',
        placeholder: 'A page, an action, or what to find',
        autoComplete: 'off',
      }}
      scrollable
    />
  );
}
