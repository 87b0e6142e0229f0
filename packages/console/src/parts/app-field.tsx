// The filter for an app: any text, with the apps whose names contain it.

import { Autocomplete, type AutocompleteProps, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { callQuery } from '../api/client.ts';

/** The apps of which the first are offered; others are found by typing. */
const offeredAppsMax = 20;

/** After the last key, before a search. */
const searchDelayMs = 150;

interface AppFieldProps extends AutocompleteProps {
  readonly value: string;
  readonly onChange: (packageName: string) => void;
}

export function AppField({ value, onChange, ...props }: AppFieldProps) {
  const [text, setText] = useState(value);
  const [isOpen, setOpen] = useState(false);
  const [typed] = useDebouncedValue(withoutSurroundings(text), searchDelayMs);
  // The app that is chosen is no search: the others are offered too.
  const containing = typed === value ? undefined : typed || undefined;
  const { data } = useQuery({
    ...callQuery('listApps', { state: 'active', pageSize: offeredAppsMax, containing }),
    placeholderData: keepPreviousData,
    enabled: isOpen,
  });
  const apps = data?.apps ?? [];
  const nameOf = new Map(apps.map(({ packageName, name }) => [packageName, name]));
  const submit = (packageName: string): void => {
    if (packageName !== value) onChange(packageName);
  };
  return (
    <Autocomplete
      {...props}
      size="xs"
      autoComplete="off"
      value={text}
      data={[...nameOf.keys()]}
      // The server has filtered them.
      filter={({ options }) => options}
      renderOption={({ option }) => <AppOption packageName={option.value} name={nameOf.get(option.value)} />}
      comboboxProps={{ width: 'max-content', position: 'bottom-start', withinPortal: false }}
      onChange={setText}
      onOptionSubmit={submit}
      onDropdownOpen={() => setOpen(true)}
      onBlur={() => submit(withoutSurroundings(text))}
      onKeyDown={(event: KeyboardEvent<HTMLInputElement>) => {
        const hasActiveOption = event.currentTarget.hasAttribute('aria-activedescendant');
        if (event.key === 'Enter' && !hasActiveOption) submit(withoutSurroundings(text));
      }}
    />
  );
}

function AppOption({
  packageName,
  name,
}: {
  readonly packageName: string;
  readonly name: string | undefined;
}) {
  return (
    <div>
      <bdi>{name ?? packageName}</bdi>
      {name !== undefined && (
        <Text size="xs" c="dimmed" ff="monospace">
          <bdi>{packageName}</bdi>
        </Text>
      )}
    </div>
  );
}
