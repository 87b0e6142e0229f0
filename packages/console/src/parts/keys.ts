// Shortcuts. Single keys never act in inputs or dialogs, and can be turned off. Where a layout types no Latin letters, a
// shortcut is on the key that has its letter on a Latin one.

import { useWindowEvent } from '@mantine/hooks';
import { useLayoutEffect } from 'react';
import { useSingleKeys } from './preferences.ts';

/** Keys by the character that they type, or `space`, while the component is shown. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const [hasSingleKeys] = useSingleKeys();
  useWindowEvent('keydown', (event) => {
    const { altKey, ctrlKey, metaKey, repeat, target, defaultPrevented } = event;
    const key = characterOf(event);
    const act = keys[key];
    if (act === undefined || altKey || ctrlKey || metaKey || repeat || defaultPrevented) return;
    if (!hasSingleKeys || isHeld() || isTyping(target) || (key === 'space' && isPressed(target))) return;
    event.preventDefault();
    act();
  });
}

/** A key with Ctrl, or with Command on a Mac, which acts everywhere. */
export function useControlKey(key: string, act: () => void): void {
  useWindowEvent('keydown', (event) => {
    const { altKey, ctrlKey, metaKey, repeat, shiftKey } = event;
    if (altKey || shiftKey || !(ctrlKey || metaKey) || characterOf(event).toLowerCase() !== key) return;
    event.preventDefault();
    if (!repeat) act();
  });
}

/** The characters of shortcut keys that type no letter: alone and with Shift. */
const latinSigns: Readonly<Record<string, readonly [string, string]>> = {
  Slash: ['/', '?'],
  Period: ['.', '>'],
};

/** The ASCII character that a key types here or on a Latin layout, or its name. */
function characterOf({ key, code, shiftKey }: KeyboardEvent): string {
  if (key === ' ') return 'space';
  if (/^[!-~]+$/.test(key)) return key;
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? [];
  const [alone = key, shifted = key] = letter ? [letter.toLowerCase(), letter] : (latinSigns[code] ?? []);
  return shiftKey ? shifted : alone;
}

/**
 * Hides the keys of an input method from all shortcuts and fields, once for the page: Enter chooses what is composed. The
 * key that ends a composition has this code in Safari, where the composition is over before.
 */
export function hideInputMethodKeys(): void {
  const composedKeyCode = 229;
  const hide = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === composedKeyCode) event.stopImmediatePropagation();
  };
  window.addEventListener('keydown', hide, { capture: true });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  );
}

/** Whether Space presses the element. */
function isPressed(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('button, summary') !== null;
}

let holds = 0;

/** Keys do nothing while something is open above the page, also while it is still loading. */
export function useHeldKeys(isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen) return;
    holds += 1;
    return () => {
      holds -= 1;
    };
  }, [isOpen]);
}

export function isHeld(): boolean {
  return holds > 0 || document.querySelector('[role="dialog"], [role="menu"]') !== null;
}
