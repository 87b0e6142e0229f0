// Finds anything by a pasted id; `/` focuses it.

import { Kbd, TextInput, type TextInputProps } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { linkTo } from './page-link.tsx';

export function FindBox(props: TextInputProps) {
  const navigate = useNavigate();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('find');
    const q = typeof text === 'string' ? text.trim() : '';
    if (q !== '') void navigate(linkTo.find(q));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: the search element is no form
    <form role="search" onSubmit={submit}>
      <TextInput
        {...props}
        name="find"
        aria-label="Find"
        placeholder="Find anything"
        autoComplete="off"
        spellCheck={false}
        rightSection={<Kbd size="xs">/</Kbd>}
      />
    </form>
  );
}
