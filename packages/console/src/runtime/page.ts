// The values that the server wrote into the page.

function metaOf(name: string): string {
  return document.querySelector(`meta[name="opentill-${name}"]`)?.getAttribute('content') ?? '';
}

/** The development server of Vite leaves the placeholder, which counts as the sandbox. */
export const isProduction = metaOf('environment') === 'production';

/** Mantine writes style elements, which the Content-Security-Policy allows with this nonce only. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** The origin that serves the page and the operator API. */
export const { origin } = location;

/** Returns the fragment of the address, and removes it, because it is a secret that must not stay in the history. */
export function takeFragment(): string | undefined {
  const fragment = location.hash.slice(1);
  if (fragment === '') return undefined;
  history.replaceState(history.state, '', location.pathname);
  return fragment;
}

export function reloadPage(): void {
  location.reload();
}

export function currentAddress(): string {
  return location.href;
}
