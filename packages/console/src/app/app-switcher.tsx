// The app that the page is about, or that all pages with a filter for apps show. Choosing another one goes to it.

import { useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { AppField } from '../parts/app-field.tsx';
import { linkTo } from '../parts/page-link.tsx';
import { useChosenApp } from '../parts/preferences.ts';
import { navigation, useShownApp } from './navigation.ts';

export function AppSwitcher() {
  const [, choose] = useChosenApp();
  const { pathname } = useLocation();
  const { packageName: ofPage } = useParams({ strict: false });
  const { packageName: filter } = useSearch({ strict: false });
  const shown = useShownApp();
  const navigate = useNavigate();
  const isFiltered = navigation.some(({ to, hasAppFilter }) => hasAppFilter && to === pathname);
  // The filter of the page counts, which may come from a link.
  useEffect(() => {
    if (isFiltered) choose(filter);
  }, [isFiltered, filter, choose]);
  const change = (text: string): void => {
    const packageName = text === '' ? undefined : text;
    choose(packageName);
    if (isFiltered) {
      void navigate({ to: '.', search: (search) => ({ ...search, packageName, pageToken: undefined }) });
    } else if (ofPage !== undefined) {
      void navigate(packageName === undefined ? { to: '/apps' } : linkTo.app(packageName));
    }
  };
  return (
    <AppField
      key={shown}
      aria-label="App of the pages"
      placeholder="All apps"
      value={shown ?? ''}
      onChange={change}
    />
  );
}
