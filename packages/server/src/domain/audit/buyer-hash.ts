// The name of an erased buyer in the audit trail: who knows the buyer id and the key can compute it, and nobody else can
// find the id that it replaces.

import { createHmac } from 'node:crypto';

export function buyerHash(key: Buffer, buyerId: string): string {
  return createHmac('sha256', key).update(buyerId).digest('hex');
}
