// The keys that are typed after `/` while the page is still loading: the find box takes them when it is shown.

let text: string | undefined;

function listen({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
  if (ctrlKey || metaKey || altKey || target instanceof HTMLInputElement) return;
  if (text === undefined) text = key === '/' ? '' : undefined;
  else if (key === 'Backspace') text = text.slice(0, -1);
  else if (key.length === 1) text += key;
}
addEventListener('keydown', listen);

/** Returns what was typed so far, or undefined unless it began with `/`, and stops listening. */
export function takeEarlyText(): string | undefined {
  removeEventListener('keydown', listen);
  const taken = text;
  text = undefined;
  return taken;
}
