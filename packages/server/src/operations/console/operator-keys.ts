// The operator keys of the settings: who a key belongs to, and which keys there are now.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Role } from '@opentill/contract/operator-api/operator-operation.ts';

export interface OperatorKey {
  readonly name: string;
  readonly role: Role;
  /** SHA-256. */
  readonly hash: Buffer;
}

export interface OperatorKeys {
  find(key: string): OperatorKey | undefined;
  /** `author` is `operator:<name>`. */
  findByAuthor(author: string): OperatorKey | undefined;
}

export function operatorKeys(
  keys: readonly (Omit<OperatorKey, 'hash'> & { readonly key: string })[],
): OperatorKeys {
  const known = keys.map(({ name, role, key }) => ({ name, role, hash: sha256(key) }));
  /** Compares every key in constant time, so that the time of a response says nothing about the keys. */
  const find = (key: string) => {
    const hash = sha256(key);
    let found: OperatorKey | undefined;
    for (const candidate of known) {
      if (timingSafeEqual(hash, candidate.hash)) found = candidate;
    }
    return found;
  };
  return {
    find,
    findByAuthor: (author) => known.find((key) => authorOf(key) === author),
  };
}

/** The author that is stored with changes. */
export function authorOf({ name }: Pick<OperatorKey, 'name'>): string {
  return `operator:${name}`;
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
