// packages/client/README.md: the values of a backend.

import type { Site } from '../site.ts';

const purchase = {
  purchaseId: 'GAME-1002',
  productId: 'coins_100',
  developerPayload: 'payload-of-the-order',
};
const packageName = 'com.example.demo';

export async function prepare({ operator, publicUrl }: Site): Promise<Record<string, string>> {
  await operator.recordPurchase({ packageName, ...purchase });
  return { HOST: publicUrl };
}

export const given = {
  host: process.env['HOST'],
  clientId: packageName,
  clientSecret: process.env['PAGE_CLIENT_SECRET'],
  packageName,
  ...purchase,
};
