// All checks, in the order in which they are run.

import type { Check } from '../check.ts';
import { authorizationChecks } from './authorization.ts';
import { consumeChecks } from './consume.ts';
import { contentTypeChecks } from './content-type.ts';
import { detailsChecks } from './details.ts';
import { errorChecks } from './errors.ts';
import { manageChecks } from './manage.ts';
import { otherAppChecks } from './other-app.ts';
import { productChecks } from './product.ts';
import { sizeChecks } from './sizes.ts';
import { subscriptionChecks } from './subscription.ts';
import { tokenChecks } from './tokens.ts';
import { voidedChecks } from './voided.ts';

export const checks: readonly Check[] = [
  ...tokenChecks,
  ...authorizationChecks,
  ...contentTypeChecks,
  ...detailsChecks,
  ...productChecks,
  ...subscriptionChecks,
  ...voidedChecks,
  ...errorChecks,
  ...sizeChecks,
  ...otherAppChecks,
  ...manageChecks,
  ...consumeChecks,
];
