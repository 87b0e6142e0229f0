// The filters of a list: they are search parameters of the address, with the names of the parameters of the operation.
// A value that the console does not know is ignored. `fields` describes them once:
// `validateSearch: searchOf(fields)` in the route, `<FilterBar fields={fields} search={search} />` on the page.

import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { KeyboardEvent } from 'react';
import { instantOf } from './instant-filter.ts';

interface FilterField {
  readonly label: string;
  /** The accepted values, with their labels; without them, any text. */
  readonly options?: Readonly<Record<string, string>>;
  /** An instant: relative such as -24h, in ISO 8601, or in ms (instant-filter.ts). */
  readonly isTime?: true;
  /** A day such as 2026-03-15. */
  readonly isDay?: true;
  /** What no value means; "any" by default. */
  readonly any?: string;
}

export type FilterFields = Readonly<Record<string, FilterField>>;

/** The search parameters of a route with these fields. */
type SearchOf<Fields extends FilterFields> = {
  readonly [Name in keyof Fields | 'pageToken']?: string | undefined;
};

/** The search parameters of any list. */
export interface Search {
  readonly [name: string]: string | undefined;
  readonly pageToken?: string | undefined;
}

/** Checks the search parameters of a route. An ignored value is undefined, because the router keeps absent ones. */
export function searchOf<Fields extends FilterFields>(fields: Fields) {
  return (given: Record<string, unknown>): SearchOf<Fields> => {
    const entries = [...Object.keys(fields), 'pageToken'].map((name) => {
      const value = given[name];
      return [name, typeof value === 'string' && isValid(value, fields[name]) ? value : undefined];
    });
    return Object.fromEntries(entries) as SearchOf<Fields>;
  };
}

function isValid(value: string, field?: FilterField): boolean {
  if (field?.isTime === true) return instantOf(value) !== undefined;
  if (field?.isDay === true) return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
  return value !== '' && (field?.options === undefined || Object.hasOwn(field.options, value));
}

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

/** A new filter starts at the first page. */
function useSetFilter(search: Search): (name: string, value: string) => void {
  const navigate = useNavigate();
  return (name, value) =>
    void navigate({ to: '.', search: { ...search, pageToken: undefined, [name]: value } });
}

export function FilterBar({ fields, search }: FilterProps) {
  const setFilter = useSetFilter(search);
  return (
    <Group component="search" gap="sm" align="flex-end">
      {Object.entries(fields).map(([name, field]) => (
        <FilterInput
          key={name}
          field={field}
          value={search[name] ?? ''}
          onChange={(value) => setFilter(name, value)}
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
  const choices = options ?? (isTime === true ? timeOptions : undefined);
  if (choices === undefined) {
    const setIfChanged = (text: string): void => {
      if (text.trim() !== value) onChange(text.trim());
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
  const setFilter = useSetFilter(search);
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" c="dimmed">
        Nothing matches these filters:
      </Text>
      <Group gap="xs">
        {Object.entries(fields).map(([name, { label, options }]) => {
          const value = search[name];
          if (value === undefined) return null;
          return (
            <Button
              key={name}
              size="compact-xs"
              variant="default"
              h="auto"
              py={6}
              styles={{
                label: {
                  height: 'auto',
                  display: 'block',
                  overflow: 'visible',
                  lineHeight: 1.4,
                  whiteSpace: 'normal',
                  overflowWrap: 'anywhere',
                },
              }}
              onClick={() => setFilter(name, '')}
            >
              Remove {label}: <bdi>{options?.[value] ?? value}</bdi>
            </Button>
          );
        })}
      </Group>
    </Stack>
  );
}
