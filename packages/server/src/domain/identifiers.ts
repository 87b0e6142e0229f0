// Ids of purchases, apps and products, each branded so that they cannot be swapped. It does not know which of them exist.

import * as fields from '@opentill/contract/fields.ts';

export type PurchaseId = string & { readonly brand: 'PurchaseId' };
export type PackageName = string & { readonly brand: 'PackageName' };
export type ProductId = string & { readonly brand: 'ProductId' };

/** The package name of what belongs to no app: the clock of the store, the pause of all renewals, and actions without an app. */
export const wholeStore = '';

/** A server serves one environment, whose name is part of the MAC of every token. */
export type Environment = 'production' | 'sandbox';

/** TypeBox keeps the keywords of a schema at run time, but does not expose them in its types. */
function parserFor<Id extends string>(schema: object): (text: string) => Id | undefined {
  const { pattern, maxLength } = schema as { readonly pattern: string; readonly maxLength: number };
  const compiled = new RegExp(pattern);
  // The length is checked first, so that an overlong text is not searched.
  return (text) => (text.length <= maxLength && compiled.test(text) ? (text as Id) : undefined);
}

/** Returns undefined unless the text has 1 to 20 of the characters `A-Z a-z 0-9 . _ -`, other than `.` or `..` alone. */
export const parsePurchaseId = parserFor<PurchaseId>(fields.PurchaseId);

/** Like parsePurchaseId, with up to 150 characters. */
export const parseProductId = parserFor<ProductId>(fields.ProductId);

export const sandboxPurchaseIdPrefix = 'SANDBOX';

/** `yyMMddHHmmss`: the second of the purchase, in UTC. */
const productionPrefixLength = 12;

/** The random digits that generatedPurchaseId needs: the sandbox form uses more than the production form. */
export const purchaseIdDigits = fields.sizes.purchaseId - sandboxPurchaseIdPrefix.length;

const decimalDigits = /^[0-9]+$/;

/**
 * Generates an id of maximum length in the format of the environment (docs/decisions/purchases.md) from at least
 * `purchaseIdDigits` random decimal digits. Ids may collide, so the caller draws again if an insert fails.
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

/** Temporal takes four times as long, which is 4 us of every record. */
function secondInUtc(now: number): string {
  const digits = new Date(now).toISOString().replaceAll(/[^0-9]/g, '');
  const centuryLength = 2;
  return digits.slice(centuryLength, centuryLength + productionPrefixLength);
}

/** Production rejects such an id from an operator, because it looks like a test purchase. */
export function isSandboxPurchaseId(purchaseId: PurchaseId): boolean {
  return purchaseId.startsWith(sandboxPurchaseIdPrefix);
}
