// Chooses the app that all pages with a filter for apps show. The dialog is loaded when it is opened for the first time.

import { Button, VisuallyHidden } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { lazyPage } from '../parts/lazy-page.tsx';
import { ShortName } from '../parts/long-text.tsx';
import { useChosenApp } from '../parts/preferences.ts';
import { navigation } from './navigation.ts';

const AppChoice = lazyPage(() => import('./app-choice.tsx'), 'AppChoice');

export function AppSwitcher() {
  const [chosen, choose] = useChosenApp();
  const [isOpen, setOpen] = useState(false);
  const [isNeeded, setNeeded] = useState(false);
  const { pathname } = useLocation();
  const { packageName } = useSearch({ strict: false });
  const navigate = useNavigate();
  const isFiltered = navigation.some(({ to, hasAppFilter }) => hasAppFilter && to === pathname);
  // The filter of the page counts, which may come from a link.
  useEffect(() => {
    if (isFiltered) choose(packageName);
  }, [isFiltered, packageName, choose]);
  const change = (name: string | undefined): void => {
    setOpen(false);
    choose(name);
    if (isFiltered) {
      void navigate({
        to: '.',
        search: (search) => ({ ...search, packageName: name, pageToken: undefined }),
      });
    }
  };
  return (
    <>
      <Button
        variant="default"
        fullWidth
        justify="space-between"
        rightSection={<IconSelector size={16} />}
        aria-haspopup="dialog"
        onClick={() => {
          setNeeded(true);
          setOpen(true);
        }}
      >
        <VisuallyHidden>App: </VisuallyHidden>
        {chosen === undefined ? 'All apps' : <ShortName text={chosen} />}
      </Button>
      <Suspense>
        {isNeeded && <AppChoice isOpen={isOpen} onChoose={change} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  );
}
