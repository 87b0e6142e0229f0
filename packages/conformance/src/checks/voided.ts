// All checks of the voided list.

import { numbered } from '../check.ts';
import { voidedListChecks } from './voided-list.ts';
import { voidedQueryChecks } from './voided-query.ts';

export const voidedChecks = numbered('voided', [...voidedListChecks, ...voidedQueryChecks]);
