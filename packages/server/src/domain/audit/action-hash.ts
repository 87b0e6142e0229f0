// The hash that chains the actions of an app, so that none can be changed, inserted or removed unnoticed
// (docs/decisions/audit.md).

import { createHash } from 'node:crypto';

type Values = Readonly<Record<string, string | number | null>>;

/** SHA-256 over the canonical JSON (RFC 8785) of the fields that have a value and of the previous hash in hexadecimal. */
export function actionHash(fields: Values, previousHash: Buffer | null): Buffer {
  const previous = { previousHash: previousHash === null ? null : previousHash.toString('hex') };
  const entries = Object.entries<Values[string]>({ ...fields, ...previous })
    .filter(([, value]) => value !== null && value !== '')
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(entries)))
    .digest();
}
