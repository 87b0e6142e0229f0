// All checks, in the order in which they are run: purchases are read before they are consumed or cancelled.

import type { Check, CheckDraft } from '../check.ts';
import { authorizationChecks, contentTypeChecks } from './authorization.ts';
import { consumeChecks } from './consume.ts';
import { errorChecks } from './errors.ts';
import { manageChecks } from './manage.ts';
import { detailsChecks, otherAppChecks, productChecks } from './purchases.ts';
import { sizeChecks } from './sizes.ts';
import { subscriptionChecks } from './subscription.ts';
import { tokenChecks } from './tokens.ts';
import { voidedListChecks } from './voided-list.ts';
import { voidedQueryChecks } from './voided-query.ts';

/** Add new checks to the end of a group, so that ids do not change. */
const groups: Readonly<Record<string, readonly CheckDraft[]>> = {
  token: tokenChecks,
  authorization: authorizationChecks,
  'content-type': contentTypeChecks,
  details: detailsChecks,
  product: productChecks,
  subscription: subscriptionChecks,
  voided: [...voidedListChecks, ...voidedQueryChecks],
  error: errorChecks,
  size: sizeChecks,
  'other-app': otherAppChecks,
  manage: manageChecks,
  consume: consumeChecks,
};

export const checks: readonly Check[] = Object.entries(groups).flatMap(([group, drafts]) =>
  drafts.map((draft, place) => ({ ...draft, group, id: `${group}-${String(place + 1).padStart(2, '0')}` })),
);
