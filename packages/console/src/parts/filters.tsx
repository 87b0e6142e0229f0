// The inputs of the filters of a list (filter-fields.ts).

import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazyRouteComponent, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, Suspense } from 'react';
import type { FilterField, FilterFields, Search } from './filter-fields.ts';
import { useIsNarrow } from './records.tsx';

const AppField = lazyRouteComponent(() => import('./app-field.tsx'), 'AppField');

const timeOptions = {
  '-1h': 'the last hour',
  '-24h': 'the last 24 hours',
  '-7d': 'the last 7 days',
  '-30d': 'the last 30 days',
};

interface FilterProps {
  readonly fields: FilterFields;
  readonly search: Search;
}

/** On a narrow screen, the inputs are behind a button. */
export function FilterBar({ fields, search }: FilterProps) {
  const navigate = useNavigate();
  const isNarrow = useIsNarrow();
  const [isOpen, { toggle }] = useDisclosure();
  const names = Object.keys(fields);
  const count = names.filter((name) => search[name] !== undefined).length;
  return (
    <Group component="search" gap="sm" align="flex-end">
      {isNarrow && names.length > 0 && (
        <Button variant="default" aria-expanded={isOpen} onClick={toggle}>
          {count === 0 ? 'Filters' : `Filters (${count})`}
        </Button>
      )}
      {(isOpen || !isNarrow) &&
        Object.entries(fields).map(([name, field]) => (
          <FilterInput
            key={name}
            field={field}
            value={search[name] ?? ''}
            // A new filter starts at the first page.
            onChange={(value) =>
              void navigate({ to: '.', search: { ...search, pageToken: undefined, [name]: value } })
            }
          />
        ))}
    </Group>
  );
}

interface FilterInputProps {
  readonly field: FilterField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function FilterInput({ field, value, onChange }: FilterInputProps) {
  const { label, options, isTime, isDay = false, any = 'any' } = field;
  if (field.isApp === true) {
    return (
      <Suspense fallback={<TextInput label={label} size="xs" w="14rem" readOnly defaultValue={value} />}>
        {/* A filter that was changed elsewhere is shown. */}
        <AppField key={value} w="14rem" label={label} value={value} onChange={onChange} />
      </Suspense>
    );
  }
  const choices = options ?? (isTime === true ? timeOptions : undefined);
  if (choices === undefined) {
    const setIfChanged = (text: string): void => {
      const changed = text.trim() === '' ? '' : text;
      if (changed !== value) onChange(changed);
    };
    return (
      <TextInput
        // A filter that was removed elsewhere empties the field.
        key={value}
        label={label}
        size="xs"
        {...(isDay && { type: 'date' })}
        // Two fit next to each other on a narrow screen.
        w="9rem"
        defaultValue={value}
        onBlur={(event) => setIfChanged(event.currentTarget.value)}
        onKeyDown={(event: KeyboardEvent<HTMLInputElement>) => {
          if (event.key === 'Enter') setIfChanged(event.currentTarget.value);
        }}
      />
    );
  }
  const isOther = value !== '' && !Object.hasOwn(choices, value);
  return (
    <NativeSelect
      label={label}
      size="xs"
      value={value}
      data={[
        { value: '', label: any },
        ...Object.entries(choices).map(([key, text]) => ({ value: key, label: text })),
        ...(isOther ? [{ value, label: value }] : []),
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Whether the search has a filter, which pageToken is not. */
export function isFiltered({ fields, search }: FilterProps): boolean {
  return Object.keys(fields).some((name) => search[name] !== undefined);
}

/** The text of a list in which no record matches the filters. */
export function FilteredToNothing({ fields, search }: FilterProps) {
  const navigate = useNavigate();
  const names = Object.keys(fields);
  const others = Object.fromEntries(Object.entries(search).filter(([name]) => !names.includes(name)));
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        Nothing matches these filters.
      </Text>
      <Button variant="default" onClick={() => void navigate({ to: '.', search: others })}>
        Remove the filters
      </Button>
    </Group>
  );
}
