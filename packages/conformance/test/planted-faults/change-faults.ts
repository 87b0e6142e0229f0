// Faults of calls that change data: consuming, cancelling and reactivating.

import { done, type Seen } from '../reference-server/answers.ts';
import type { Fault } from '../reference-server/reference-server.ts';
import { errorCodeOf, insteadOfRefusal, type PlantedFault, reads, spoils } from './fault-forms.ts';

const consume = /\/consume\//;
const manage = /manage-payment-status/;
const valueAt = ({ path }: Seen, place: number) => path.split('/')[4 + place] ?? '';

const isForUnknown = (seen: Seen) => valueAt(seen, 0).startsWith('NO-SUCH');

/** Rounds of the event loop within which all concurrent calls arrive. */
const gatheringRounds = 50;

export const manageFaults: readonly PlantedFault[] = [
  {
    name: 'a subscription that does not exist is cancelled',
    finds: ['manage-01'],
    fault: insteadOfRefusal(manage, (seen) =>
      isForUnknown(seen) ? done({ responseCode: 0, purchaseId: valueAt(seen, 0) }) : undefined,
    ),
  },
  {
    name: 'any action succeeds',
    finds: ['manage-02', 'manage-03', 'manage-04'],
    fault: insteadOfRefusal(manage, (seen, _, reply) =>
      errorCodeOf(reply) === 9000 ? done({ responseCode: 0, purchaseId: valueAt(seen, 0) }) : undefined,
    ),
  },
  {
    name: 'a GET request cancels',
    finds: ['manage-05', 'manage-06'],
    fault: reads((seen) => (manage.test(seen.path) ? { method: 'POST' } : undefined)),
  },
  {
    name: 'responseCode is a string',
    finds: ['manage-06', 'manage-07', 'manage-08'],
    fault: spoils(manage, (body) => ({ ...body, responseCode: String(body.responseCode) })),
  },
  {
    name: 'a change has the id of another purchase',
    finds: ['manage-09'],
    fault: spoils(manage, (body) => ({ ...body, purchaseId: 'another' })),
  },
];

export const consumeFaults: readonly PlantedFault[] = [
  {
    name: 'a purchase that does not exist is consumed',
    finds: ['error-06', 'consume-01'],
    fault: insteadOfRefusal(consume, (seen) =>
      isForUnknown(seen) ? done({ consumptionState: 1, purchaseId: valueAt(seen, 0) }) : undefined,
    ),
  },
  {
    name: 'a voided purchase is consumed',
    finds: ['consume-02'],
    fault: insteadOfRefusal(consume, (seen, till) => {
      const { voidedTime } = till.purchases.get(valueAt(seen, 0)) ?? {};
      const isVoided = voidedTime !== undefined;
      return isVoided ? done({ consumptionState: 1, purchaseId: valueAt(seen, 0) }) : undefined;
    }),
  },
  {
    name: 'purchases of other apps are consumed',
    finds: ['other-app-04', 'other-app-05'],
    fault: insteadOfRefusal(consume, (seen, { seeded }) =>
      valueAt(seen, 0) === seeded.otherApp.purchaseId
        ? done({ consumptionState: 1, purchaseId: valueAt(seen, 0) })
        : undefined,
    ),
  },
  {
    name: 'a GET request consumes',
    finds: ['consume-04', 'consume-05', 'consume-06', 'consume-07'],
    fault: reads((seen) => (consume.test(seen.path) ? { method: 'POST' } : undefined)),
  },
  {
    name: 'a consumption is lost at once',
    finds: ['details-04', 'consume-03', 'consume-08', 'consume-09', 'consume-10', 'consume-11'],
    fault: spoils(consume, (body, seen, { purchases, seeded }) => {
      const purchase = purchases.get(valueAt(seen, 0));
      if (purchase && purchase.purchaseId !== seeded.consumedPurchase) purchase.isConsumed = false;
      return body;
    }),
  },
  {
    name: 'two concurrent consumes both succeed',
    finds: ['consume-11'],
    fault: gathering(),
  },
];

/** Reads a purchase first and changes it later, like a server without transactions. */
function gathering(): Fault {
  return async (seen, answer, till) => {
    const purchase = till.purchases.get(valueAt(seen, 0));
    if (!consume.test(seen.path) || purchase === undefined) return answer(seen);
    const { isConsumed } = purchase;
    for (let round = 0; round < gatheringRounds; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    purchase.isConsumed = isConsumed;
    return answer(seen);
  };
}
