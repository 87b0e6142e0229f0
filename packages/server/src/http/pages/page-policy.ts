// The Content-Security-Policy of the pages that the server serves: nothing from elsewhere, and in no frame.

/** `scripts` and `styles` are the sources that are allowed. */
export function pagePolicy({
  scripts,
  styles,
}: {
  readonly scripts: string;
  readonly styles: string;
}): string {
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${styles}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
