// The actions of the current page, which the palette and the help list.

import { useEffect, useId, useSyncExternalStore } from 'react';

export interface PageAction {
  readonly label: string;
  /** In the palette, where it names its object. By default, the label and the title of the page. */
  readonly command?: string | undefined;
  /** It ends or removes something. */
  readonly isEnding: boolean;
  /** A single key that opens the dialog of the action. */
  readonly hotkey?: string | undefined;
  readonly run: () => void;
}

/** The name that is on the key. */
export const keyName = (hotkey: string): string => (hotkey === 'space' ? 'Space' : hotkey);

let actions: ReadonlyMap<string, PageAction> = new Map();
const listeners = new Set<() => void>();

function replaceActions(next: ReadonlyMap<string, PageAction>): void {
  actions = next;
  for (const listener of listeners) listener();
}

/** Offers an action while the component is shown; undefined: it is not possible now. */
export function usePageAction(action: PageAction | undefined): void {
  const id = useId();
  useEffect(() => {
    if (action === undefined) return;
    replaceActions(new Map(actions).set(id, action));
    return () => replaceActions(new Map([...actions].filter(([known]) => known !== id)));
  }, [id, action]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePageActions(): readonly PageAction[] {
  const known = useSyncExternalStore(subscribe, () => actions);
  return [...known.values()];
}
