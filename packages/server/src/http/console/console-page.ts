// The pages that the console routes generate: the index page of the bundle with its placeholders filled in, and the page
// that takes its place until the bundle is built.

import type { Environment } from '../../domain/identifiers.ts';

interface PageValues {
  readonly environment: Environment;
  readonly version: string;
  readonly nonce: string;
}

/** None of the values contains a character that HTML reserves. */
export function consolePage(template: string, values: PageValues): string {
  return template.replaceAll(
    /\{\{(environment|version|nonce)\}\}/g,
    (_, name: keyof PageValues) => values[name],
  );
}

/** A page without scripts and styles. */
export function unbuiltPage(isBuilding: boolean): string {
  const [refresh, text] = isBuilding
    ? ['<meta http-equiv="refresh" content="1">', 'The console is being built. This page reloads itself.']
    : ['', 'The console is not built. Run <code>npm run console:build</code>, then reload this page.'];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark">${refresh}<title>OpenTill</title></head>
<body><h1>OpenTill</h1><p>${text}</p></body>
</html>
`;
}

export function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
