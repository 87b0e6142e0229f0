// The inputs of the filters of a list (filter-fields.ts).

import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { optionsOf } from '../parts/change-fields.tsx';
import { dateText, isoOf } from '../values/date-text.ts';
import { type FilterField, type FilterFields, isValid, type Search } from './filter-fields.ts';

interface FilterProps {
  readonly fields: FilterFields;
  readonly search: Search;
}

interface FilterBarProps extends FilterProps {
  /** The present meaning of a filter without a value. */
  readonly inForce?: Search;
}

/** On a narrow screen, the inputs are behind a button. */
export function FilterBar({ fields, search, inForce = {} }: FilterBarProps) {
  const navigate = useNavigate();
  const [isOpen, { toggle }] = useDisclosure();
  const shown = Object.entries(fields).filter(([, { isElsewhere }]) => isElsewhere !== true);
  const count = shown.filter(([name]) => search[name] !== undefined).length;
  return (
    <Group component="search" gap="sm" align="flex-end">
      {shown.length > 0 && (
        <Button hiddenFrom="sm" variant="default" aria-expanded={isOpen} onClick={toggle}>
          {count === 0 ? 'Filters' : `Filters (${count})`}
        </Button>
      )}
      <Group gap="sm" align="flex-end" className={isOpen ? '' : 'folded'}>
        {shown.map(([name, field]) => {
          const value = search[name] ?? inForce[name] ?? '';
          const { replaces = [] } = field;
          const replaced = Object.fromEntries(replaces.map((other) => [other, undefined]));
          // A new filter starts at the first page.
          const change = (next: string): void =>
            void navigate({
              to: '.',
              search: { ...search, pageToken: undefined, ...replaced, [name]: next },
            });
          // A filter that was changed elsewhere is shown.
          return <FilterInput key={`${name} ${value}`} field={field} value={value} onChange={change} />;
        })}
      </Group>
    </Group>
  );
}

interface FilterInputProps {
  readonly field: FilterField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function FilterInput({ field, value, onChange }: FilterInputProps) {
  const { label, options, any = 'any' } = field;
  if (options === undefined) return <TextFilter field={field} value={value} onChange={onChange} />;
  const isOther = value !== '' && !Object.hasOwn(options, value);
  return (
    <NativeSelect
      label={label}
      size="xs"
      value={value}
      data={optionsOf({ '': any, ...options, ...(isOther && { [value]: value }) })}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function TextFilter({ field, value, onChange }: FilterInputProps) {
  const isDate = field.isDay === true || field.isTime === true;
  const [isWrong, setWrong] = useState(false);
  const submit = (typed: string): void => {
    const text = field.mayHaveSpaces === true && typed.trim() !== '' ? typed : typed.trim();
    const next = isDate ? (isoOf(text) ?? text) : text;
    const isAccepted = next === '' || isValid(next, field);
    setWrong(!isAccepted);
    if (isAccepted && next !== value) onChange(next);
  };
  return (
    <TextInput
      label={field.label}
      size="xs"
      // Two fit next to each other on a narrow screen.
      w={field.mayHaveSpaces === true ? '12rem' : '9rem'}
      placeholder={field.any ?? 'any'}
      error={isWrong && 'Such as 28 Dec 2026'}
      defaultValue={isDate ? dateText(value) : value}
      onBlur={(event) => submit(event.currentTarget.value)}
      onKeyDown={(event: KeyboardEvent<HTMLInputElement>) => {
        if (event.key === 'Enter') submit(event.currentTarget.value);
      }}
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
