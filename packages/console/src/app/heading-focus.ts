// Moves the focus to the heading of a new page: screen readers read it, and single keys act, which they do not in the box
// that was used to come here.

let latest: Element | null = null;

/** The tabs of an app keep their heading and with it the focus. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading === latest && heading?.isConnected === true) return;
  latest = heading;
  skipToContent();
}

export function skipToContent(): void {
  const target =
    document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main');
  if (target === null) return;
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
}
