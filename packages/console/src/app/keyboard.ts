// The keys of every page: `g` and the key of a page, the find box, the palette and the help.

import { useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { isDialogOpen, useKeys } from '../parts/keys.ts';
import { useChosenApp } from '../parts/preferences.ts';
import { elapsedMs } from '../runtime/clock.ts';
import { type NavigationEntry, navigation, targetOf } from './navigation.ts';

interface KeyboardDialogs {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

/** Between `g` and the key of a page. */
const sequenceMs = 2_000;

export function useKeyboard({ openPalette, openHelp }: KeyboardDialogs): void {
  const navigate = useNavigate();
  const pressedG = useRef(Number.NEGATIVE_INFINITY);
  const [packageName] = useChosenApp();
  const go = (entry: NavigationEntry): void => {
    if (elapsedMs() - pressedG.current < sequenceMs) void navigate(targetOf(entry, packageName));
    pressedG.current = Number.NEGATIVE_INFINITY;
  };
  useKeys({
    ...Object.fromEntries(navigation.map((entry) => [entry.key, () => go(entry)])),
    g: () => {
      pressedG.current = elapsedMs();
    },
    '/': focusFind,
    y: copyId,
    '?': openHelp,
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

/** Copies the id of the row with the focus, or else the first of the page. */
function copyId(): void {
  const row = document.activeElement?.closest('[data-record]') ?? document.querySelector('main');
  row?.querySelector<HTMLElement>('[data-copy]')?.click();
}
