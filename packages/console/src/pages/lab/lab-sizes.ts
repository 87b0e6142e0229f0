// Sizes that the lab shares with the frame of the page.

/** The height of the bar. */
export const headerEnd = 'var(--app-shell-header-offset, 0rem)';

/** From the bar to the end of the window, without the padding of the page. */
export const screenHeight = `calc(100dvh - ${headerEnd} - 2 * var(--app-shell-padding))`;
