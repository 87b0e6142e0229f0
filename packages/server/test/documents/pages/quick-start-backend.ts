// docs/quick-start-backend.md: a purchase that the app has reported, and the secret.

import type { Site } from '../site.ts';

const purchaseId = 'GAME-2001';

export async function prepare({ operator }: Site): Promise<Record<string, string>> {
  const purchase = { productId: 'sword', purchaseId, developerPayload: 'order-2001' };
  await operator.recordPurchase({ packageName: 'com.example.demo', ...purchase });
  return {};
}

export const given = { clientSecret: process.env['PAGE_CLIENT_SECRET'], purchaseId };
