// The author of a change, as developers see it.

import type { PublicAuthor } from '@opentill/contract/events.ts';

/** The author of a change that a developer's backend requested. */
export const appAuthor = 'app';

/** Developers do not see the names of operator keys and jobs. */
export function publicAuthor(madeBy: string): PublicAuthor {
  return madeBy === appAuthor ? 'app' : 'store';
}
