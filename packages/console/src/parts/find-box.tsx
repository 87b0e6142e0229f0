// Finds anything by a pasted id or a name: the first hits while typing, all of them with Enter; `/` focuses it. What it
// offers is loaded when it has the focus for the first time.

import { Box, Kbd, TextInput, type TextInputProps } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type KeyboardEvent, Suspense, useId, useRef, useState } from 'react';
import { lazyPage } from './lazy-page.tsx';
import { linkTo } from './page-link.tsx';

const FindOffers = lazyPage(() => import('./find-offers.tsx'), 'FindOffers');

export function FindBox(props: TextInputProps) {
  const navigate = useNavigate();
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState<string>();
  const close = (): void => {
    setOpen(false);
    setActive(undefined);
  };
  const leave = (): void => {
    setText('');
    input.current?.blur();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const option = active === undefined ? null : document.getElementById(active);
    const q = text.trim();
    if (option !== null) option.click();
    else if (q !== '') void navigate(linkTo.find(q));
    if (option !== null || q !== '') leave();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') input.current?.blur();
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const ids = [...(list.current?.querySelectorAll('[role="option"]') ?? [])].map(({ id }) => id);
    const step = event.key === 'ArrowDown' ? 1 : -1;
    const from = active === undefined && step === -1 ? ids.length : ids.indexOf(active ?? '');
    setActive(ids[(from + step + ids.length) % ids.length]);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: the search element is no form
    <form role="search" onSubmit={submit}>
      <Box pos="relative" ref={list}>
        <TextInput
          {...props}
          ref={input}
          name="find"
          role="combobox"
          aria-label="Find"
          aria-expanded={isOpen}
          aria-controls={isOpen ? listId : undefined}
          aria-autocomplete="list"
          aria-activedescendant={active}
          placeholder="Find anything"
          autoComplete="off"
          spellCheck={false}
          rightSection={<Kbd size="xs">/</Kbd>}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setActive(undefined);
          }}
          onFocus={() => setOpen(true)}
          onBlur={close}
          onKeyDown={press}
        />
        <Suspense>
          {isOpen && <FindOffers id={listId} q={text.trim()} active={active} onChoose={leave} />}
        </Suspense>
      </Box>
    </form>
  );
}
