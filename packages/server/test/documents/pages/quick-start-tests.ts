// docs/quick-start-tests.md: the backend that is tested.

import { PurchaseClient, type PurchaseClientOptions } from '@opentill/client';

export const given = {
  yourBackend(options: PurchaseClientOptions) {
    const client = new PurchaseClient(options);
    return { deliver: (purchaseId: string) => client.consumeOnce({ purchaseId }) };
  },
};
