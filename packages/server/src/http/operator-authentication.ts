// From the Authorization header to the operator key and its role (docs/decisions/operator-keys.md).

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Role } from '@opentill/contract/operator-api/operator-operation.ts';

export interface OperatorIdentity {
  readonly name: string;
  readonly role: Role;
}

/** Finds whose key it is: every key is compared, in constant time. */
export function operatorAuthentication(
  keys: readonly (OperatorIdentity & { readonly key: string })[],
): (authorization: string | undefined) => OperatorIdentity | undefined {
  const known = keys.map(({ name, role, key }) => ({ identity: { name, role }, hash: hashOf(key) }));
  return (authorization) => {
    const scheme = 'Bearer ';
    if (authorization === undefined || !authorization.startsWith(scheme)) return undefined;
    const hash = hashOf(authorization.slice(scheme.length));
    let found: OperatorIdentity | undefined;
    for (const candidate of known) {
      if (timingSafeEqual(hash, candidate.hash)) found = candidate.identity;
    }
    return found;
  };
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}
