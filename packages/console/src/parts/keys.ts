// Single keys. They never act in inputs or dialogs, and can be turned off.

import { useHotkeys } from '@mantine/hooks';
import { useLayoutEffect } from 'react';
import { useSingleKeys } from './preferences.ts';

/** Keys by the character that they type, or `space`, while the component is shown. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const [hasSingleKeys] = useSingleKeys();
  const act = (event: KeyboardEvent, key: string): void => {
    const typed = event.key === ' ' ? 'space' : event.key;
    if (!hasSingleKeys || typed !== key || event.defaultPrevented || isHeld()) return;
    // Of an input method, or of a key that is held down.
    if (event.isComposing || event.repeat) return;
    if (key === 'space' && isPressed(event.target)) return;
    event.preventDefault();
    keys[key]?.();
  };
  useHotkeys(
    // Some keyboards type a character such as / with Shift.
    Object.keys(keys).flatMap((key) =>
      [key, `shift+${key}`].map((hotkey) => [hotkey, (event) => act(event, key), { preventDefault: false }]),
    ),
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
