// The keys of the console. Single keys never act in inputs or dialogs, and can be turned off.

import { useWindowEvent } from '@mantine/hooks';
import { useRef } from 'react';
import { usePageActions } from '../parts/page-actions.ts';
import { useGo } from '../parts/page-link.tsx';
import { useSingleKeys } from '../parts/preferences.ts';
import { navigation } from './navigation.ts';

interface KeyboardDialogs {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

export function useKeyboard({ openPalette, openHelp }: KeyboardDialogs): void {
  const navigate = useNavigate();
  const actions = usePageActions();
  const [hasSingleKeys] = useSingleKeys();
  const followsG = useRef(false);
  const act = (key: string): boolean => {
    const entry = followsG.current ? navigation.find((known) => known.key === key) : undefined;
    followsG.current = entry === undefined && key === 'g';
    if (entry !== undefined) go(entry.path);
    else if (key === '/') focusFind();
    else if (key === '?') openHelp();
    else if (key === 'j') focusRow(1);
    else if (key === 'k') focusRow(-1);
    else {
      const action = actions.find(({ hotkey }) => hotkey === key);
      action?.run();
      return action !== undefined;
    }
    return true;
  };
  useWindowEvent('keydown', (event) => {
    if (event.defaultPrevented) return;
    const isPalette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
    if (isPalette && !isDialogOpen()) {
      event.preventDefault();
      openPalette();
      return;
    }
    const isSingle = !event.ctrlKey && !event.metaKey && !event.altKey && event.key.length === 1;
    if (!hasSingleKeys || !isSingle || isTyping(event.target) || isDialogOpen()) return;
    if (event.key === ' ' && isPressed(event.target)) return;
    if (act(event.key)) event.preventDefault();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select, [role="textbox"]'))
  );
}

/** Whether Space presses the element. */
function isPressed(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('button, summary') !== null;
}

function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"], [role="menu"]') !== null;
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
