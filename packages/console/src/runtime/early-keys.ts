// The keys that are typed after `/` while the page is still loading: the find box takes them when it is shown.

let text: string | undefined;

function listen(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey, repeat } = event;
  if (ctrlKey || metaKey || altKey || repeat || target instanceof HTMLInputElement) return;
  if (text === undefined && key !== '/') return;
  if (text === undefined) text = '';
  else if (key === 'Backspace') text = text.slice(0, -1);
  else if (key.length === 1) text += key;
  else return;
  // Firefox would open its own find box.
  event.preventDefault();
}
addEventListener('keydown', listen);

/** Returns what was typed so far, or undefined unless it began with `/`, and stops listening. */
export function takeEarlyText(): string | undefined {
  removeEventListener('keydown', listen);
  const taken = text;
  text = undefined;
  return taken;
}
