// The ids that name purchases, apps and products. Each is a brand of its own, so that they cannot be
// swapped; whether one of them exists is not known here.

import * as fields from '@opentill/contract/fields.ts';
import { Temporal } from 'temporal-polyfill';

export type PurchaseId = string & { readonly brand: 'PurchaseId' };
export type PackageName = string & { readonly brand: 'PackageName' };
export type ProductId = string & { readonly brand: 'ProductId' };

/** One server serves one of them. The names go into the MAC of every token. */
export type Environment = 'production' | 'sandbox';

/** TypeBox keeps the keywords of a schema at run time, but does not tell their types. */
function parserFor<Id extends string>(schema: object): (text: string) => Id | undefined {
  const { pattern, maxLength } = schema as { readonly pattern: string; readonly maxLength: number };
  const compiled = new RegExp(pattern);
  // The length first: an over-long path then costs no search.
  return (text) => (text.length <= maxLength && compiled.test(text) ? (text as Id) : undefined);
}

/** Undefined unless the text is 1 to 20 of `A-Z a-z 0-9 . _ -` (the sizes of the specification). */
export const parsePurchaseId = parserFor<PurchaseId>(fields.PurchaseId);

/** As parsePurchaseId, up to 150 characters. */
export const parseProductId = parserFor<ProductId>(fields.ProductId);

export const sandboxPurchaseIdPrefix = 'SANDBOX';

/** `yyMMddHHmmss`: the second of the purchase, in UTC. */
const productionPrefixLength = 12;

/** Random digits to bring along: those of the sandbox's form, which uses more of them. */
export const purchaseIdDigits = fields.sizes.purchaseId - sandboxPurchaseIdPrefix.length;

const decimalDigits = /^[0-9]+$/;

/**
 * A new id of full size in the form of the environment (docs/decisions/recording-purchases.md). `digits` are at
 * least `purchaseIdDigits` random decimal digits. Two calls may draw the same id: who inserts it draws
 * again.
 */
export function generatedPurchaseId(from: {
  readonly environment: Environment;
  readonly now: number;
  readonly digits: string;
}): PurchaseId {
  if (from.digits.length < purchaseIdDigits || !decimalDigits.test(from.digits)) {
    throw new RangeError(`A purchase id is made from at least ${purchaseIdDigits} decimal digits.`);
  }
  const prefix = from.environment === 'sandbox' ? sandboxPurchaseIdPrefix : secondInUtc(from.now);
  return (prefix + from.digits.slice(0, fields.sizes.purchaseId - prefix.length)) as PurchaseId;
}

function secondInUtc(now: number): string {
  const digits = Temporal.Instant.fromEpochMilliseconds(now)
    .toString()
    .replaceAll(/[^0-9]/g, '');
  const centuryLength = 2;
  return digits.slice(centuryLength, centuryLength + productionPrefixLength);
}

/** Production refuses such an id when an operator supplies it: it would pass for a test purchase. */
export function isSandboxPurchaseId(purchaseId: PurchaseId): boolean {
  return purchaseId.startsWith(sandboxPurchaseIdPrefix);
}
