// Moves the focus: to the heading of a new page, so that screen readers read it and single keys act, which they do not in the
// box that was used to come here; and from row to row of the lists of a page.

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

/** Moves the focus to the link of the next record of the page, or of one before, which Enter opens. */
export function focusRecord(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('main [data-record]')]
    .map((record) => record.querySelector<HTMLElement>('a'))
    .filter((link) => link !== null);
  const present = links.findIndex((link) => link.closest('[data-record]')?.contains(document.activeElement));
  const next = present === -1 ? 0 : present + step;
  links[next]?.focus();
}
