// The title of the window, which names the environment like the frame does.

import { isProduction } from '../runtime/page.ts';

const suffix = ` - OpenTill ${isProduction ? 'production' : 'sandbox'}`;

export function pageTitle(page: string): string {
  return page + suffix;
}

export function pageOfTitle(title: string): string {
  return title.replace(suffix, '');
}
