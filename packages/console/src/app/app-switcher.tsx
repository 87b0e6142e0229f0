// The app that the page is about, or that all pages with a filter for apps show. Choosing another one goes to it.

import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { callQuery } from '../api/client.ts';
import { linkTo } from '../parts/page-link.tsx';
import { useChosenApp } from '../parts/preferences.ts';
import { LongText } from '../values/long-text.tsx';
import { navigation, useShownApp } from './navigation.ts';
import { searchDelayMs } from './search-offers.ts';

/** The apps of which the first are offered; others are found by typing. */
const offeredAppsMax = 20;

/** The height of the list, in pixels. */
const listHeightMax = 220;

/** Package names are longer. */
const allApps = '*';

export function AppSwitcher() {
  const [, choose] = useChosenApp();
  const { pathname } = useLocation();
  const { packageName: ofPage } = useParams({ strict: false });
  const { packageName: filter } = useSearch({ strict: false });
  const shown = useShownApp();
  const navigate = useNavigate();
  const isFiltered = navigation.some(
    ({ to, hasAppFilter }) => hasAppFilter && `${pathname}/`.startsWith(`${to}/`),
  );
  // The filter of the page counts, which may come from a link.
  useEffect(() => {
    if (isFiltered) choose(filter);
  }, [isFiltered, filter, choose]);
  const change = (value: string | null): void => {
    const packageName = value === allApps || value === null ? undefined : value;
    choose(packageName);
    if (isFiltered) {
      void navigate({ to: '.', search: (search) => ({ ...search, packageName, pageToken: undefined }) });
    } else if (ofPage !== undefined) {
      void navigate(packageName === undefined ? { to: '/apps' } : linkTo.app(packageName));
    }
  };
  return <AppSelect key={shown} value={shown} onChange={change} />;
}

interface AppSelectProps {
  readonly value: string | undefined;
  readonly onChange: (value: string | null) => void;
}

function AppSelect({ value = allApps, onChange }: AppSelectProps) {
  const label = value === allApps ? 'All apps' : value;
  const [text, setText] = useState(label);
  const [isOpen, setOpen] = useState(false);
  const [typed] = useDebouncedValue(withoutSurroundings(text), searchDelayMs);
  // The app that is chosen is no search: the others are offered too.
  const containing = typed === label ? undefined : typed || undefined;
  const { data } = useQuery({
    ...callQuery('listApps', { state: 'active', pageSize: offeredAppsMax, containing }),
    placeholderData: keepPreviousData,
    enabled: isOpen,
  });
  const nameOf = new Map((data?.apps ?? []).map(({ packageName, name }) => [packageName, name]));
  const offered = new Set([...(containing === undefined ? [allApps, value] : []), ...nameOf.keys()]);
  return (
    <Select
      size="xs"
      aria-label="App of the pages"
      searchable
      allowDeselect={false}
      searchValue={text}
      onSearchChange={setText}
      value={value}
      data={[...offered].map((name) => ({ value: name, label: name === allApps ? 'All apps' : name }))}
      // The server has filtered them.
      filter={({ options }) => options}
      renderOption={({ option }) => <AppOption label={option.label} name={nameOf.get(option.value)} />}
      nothingFoundMessage="No active app"
      comboboxProps={{ withinPortal: false }}
      withScrollArea={false}
      styles={{ options: { maxHeight: listHeightMax, overflowY: 'auto' } }}
      onFocus={(event) => event.currentTarget.select()}
      onChange={onChange}
      onDropdownOpen={() => setOpen(true)}
    />
  );
}

function AppOption({ label, name }: { readonly label: string; readonly name: string | undefined }) {
  return (
    <div>
      <LongText text={name ?? label} />
      {name !== undefined && (
        <Text size="xs" c="dimmed" ff="monospace">
          <LongText text={label} />
        </Text>
      )}
    </div>
  );
}
