// The keys of every page: `g` and the key of a page, the find box, the rows of a list, the palette and the help.

import { useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { isDialogOpen, useKeys } from '../parts/keys.ts';
import { elapsedMs } from '../runtime/clock.ts';
import { navigation } from './navigation.ts';

interface KeyboardDialogs {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

/** Between `g` and the key of a page. */
const sequenceMs = 2_000;

export function useKeyboard({ openPalette, openHelp }: KeyboardDialogs): void {
  const navigate = useNavigate();
  const pressedG = useRef(Number.NEGATIVE_INFINITY);
  const go = (to: (typeof navigation)[number]['to']): void => {
    if (elapsedMs() - pressedG.current < sequenceMs) void navigate({ to });
    pressedG.current = Number.NEGATIVE_INFINITY;
  };
  useKeys({
    ...Object.fromEntries(navigation.map(({ key, to }) => [key, () => go(to)])),
    g: () => {
      pressedG.current = elapsedMs();
    },
    '/': focusFind,
    '?': openHelp,
    j: () => focusRow(1),
    k: () => focusRow(-1),
  });
  useHotkeys(
    [
      [
        'mod+K',
        () => {
          if (!isDialogOpen()) openPalette();
        },
      ],
    ],
    [],
    true,
  );
}

/** The find box of the bar, or on a narrow screen that of the page. */
function focusFind(): void {
  const inputs = [...document.querySelectorAll<HTMLInputElement>('input[name="find"]')];
  const input = inputs.find((known) => known.checkVisibility());
  input?.focus();
  input?.select();
}

/** Moves the focus to the first link of the next or previous record. */
function focusRow(step: 1 | -1): void {
  const records = [...document.querySelectorAll('[data-record]')];
  const current = records.findIndex((record) => record.contains(document.activeElement));
  const next = current === -1 ? 0 : current + step;
  records[next]?.querySelector<HTMLElement>('a[href]')?.focus();
}
