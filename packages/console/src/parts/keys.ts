// Single keys. They never act in inputs or dialogs, and can be turned off.

import { useHotkeys } from '@mantine/hooks';
import { useSingleKeys } from './preferences.ts';

/** Keys by the character that they type, or `space`, while the component is shown. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const [hasSingleKeys] = useSingleKeys();
  const act = (event: KeyboardEvent, key: string): void => {
    const typed = event.key === ' ' ? 'space' : event.key;
    if (!hasSingleKeys || typed !== key || event.defaultPrevented || isDialogOpen()) return;
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

export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"], [role="menu"]') !== null;
}
