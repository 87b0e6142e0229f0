// The shape of a handler of the purchase API. What all calls have in common (token, Content-Type, package,
// missing values) is settled before a handler is asked.

import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import type { Static, TSchema } from 'typebox';
import type { PackageName } from '../domain/identifiers.ts';
import type { Refusal } from './refusal.ts';

interface PurchaseCall {
  /** The package of the token's own app, which is that of the path. */
  readonly packageName: PackageName;
  /** The other path values: present and not empty, nothing else is known of them. */
  readonly path: Readonly<Record<string, string>>;
  /** Query parameters as they came; a doubled one is an array. */
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
  /** The app's instant, ms. */
  readonly now: number;
  readonly requestId: string;
}

/** `getAccessToken` aside: it has neither a token nor a package in its path. */
export interface PurchaseHandler {
  readonly operation: PurchaseOperation;
  handle(call: PurchaseCall): Promise<object | Refusal>;
}

/** Ties a handler to its operation: `path` has the operation's parameters, the answer its response. */
export function purchaseHandler<const Operation extends PurchaseOperation & { readonly response: TSchema }>(
  operation: Operation,
  handle: (
    call: PurchaseCall & { readonly path: Readonly<Record<keyof Operation['pathParameters'], string>> },
  ) => Promise<Static<Operation['response']> | Refusal>,
): PurchaseHandler {
  return {
    operation,
    handle: handle as (call: PurchaseCall) => Promise<object | Refusal>,
  };
}

/** Who is kept as the author of a change that a developer's backend asked for. */
export const appAuthor = 'app';
