// The title of the window, which names the environment like the frame does.

import { isProduction } from '../runtime/page.ts';

export function pageTitle(page: string): string {
  return `${page} - OpenTill ${isProduction ? 'production' : 'sandbox'}`;
}
