// The find box of the bar (`/` and Ctrl-K): finds pages, apps and records. It is a part of the first page, so that no key is
// lost, not even one that is typed before the page is shown.

import { Box, Input, Kbd, Paper, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { isHeld, useControlKey, useKeys } from '../parts/keys.ts';
import { useSingleKeys } from '../parts/preferences.ts';
import { Problem } from '../parts/problem.tsx';
import { takeEarlyText } from '../runtime/early-keys.ts';
import { LongText } from '../values/long-text.tsx';
import { skipToContent } from './focus.ts';
import { comparedText, type Offer, useOffers } from './search-offers.ts';

const listId = 'find-offers';
const idOf = (index: number): string => `${listId}-${index}`;

export function FindBox() {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const [hasSingleKeys] = useSingleKeys();
  const navigate = useNavigate();
  const q = text.trim() === '' ? '' : text;
  const { offers, error } = useOffers(q);
  const ask = (): void => {
    if (!isHeld()) input.current?.select();
  };
  useKeys({ '/': ask });
  useControlKey('k', ask);
  // From now on, the keys above act.
  useEffect(() => {
    const early = takeEarlyText();
    if (early === undefined || !hasSingleKeys) return;
    setText(early);
    input.current?.focus();
  }, [hasSingleKeys]);
  const change = (value: string): void => {
    setText(value);
    setActive(0);
  };
  const close = (): void => {
    change('');
    skipToContent();
  };
  const open = ({ target }: Offer): void => {
    close();
    void navigate(target);
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = offers[active];
    // The key that came here is held down.
    if (event.key === '/' && event.repeat) event.preventDefault();
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && chosen !== undefined) open(chosen);
    else if (step !== undefined && offers.length > 0)
      setActive((active + step + offers.length) % offers.length);
    else return;
    event.preventDefault();
  };
  return (
    <div className="find">
      <Input
        ref={input}
        size="xs"
        role="combobox"
        aria-label="Find"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-activedescendant={isOpen && offers.length > 0 ? idOf(active) : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder="Find a page, an app or a record"
        rightSection={<Kbd size="xs">/</Kbd>}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      {isOpen && (
        <Paper className="find-offers" withBorder shadow="md" p="xs" onMouseDown={keepFocus}>
          {error !== null && <Problem error={error} />}
          <Offers offers={offers} active={active} onOpen={open} />
          {offers.length === 0 && error === null && <Text size="sm">No results</Text>}
          <Text size="xs" c="dimmed">
            {comparedText}
          </Text>
        </Paper>
      )}
    </div>
  );
}

const keepFocus = (event: MouseEvent): void => event.preventDefault();

interface OffersProps {
  readonly offers: readonly Offer[];
  readonly active: number;
  readonly onOpen: (offer: Offer) => void;
}

function Offers({ offers, active, onOpen }: OffersProps) {
  return (
    <div id={listId} role="listbox" aria-label="Found">
      {offers.map((offer, index) => (
        <Box
          key={offer.key}
          id={idOf(index)}
          role="option"
          aria-selected={index === active}
          ref={(option: HTMLElement | null) => {
            if (index === active) option?.scrollIntoView({ block: 'nearest' });
          }}
          onClick={() => onOpen(offer)}
        >
          <LongText text={offer.label} />{' '}
          <Text span size="xs" c="dimmed">
            {offer.about}
          </Text>
        </Box>
      ))}
    </div>
  );
}
