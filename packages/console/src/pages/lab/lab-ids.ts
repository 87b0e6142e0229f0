// Ids of purchases that the lab records.

import { randomDigits } from '../../runtime/randomness.ts';

export function newPurchaseId(): string {
  return `LAB-${randomDigits(13)}`;
}
