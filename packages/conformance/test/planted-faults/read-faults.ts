// Faults of reads: purchases, subscriptions and errors.

import { done, failed, type Seen } from '../reference-server/answers.ts';
import type { Till } from '../reference-server/till.ts';
import { errorCodeOf, insteadOfRefusal, isRefused, type PlantedFault, reads, spoils } from './fault-forms.ts';

const details = /\/details\//;
const byProduct = /details-by-productid/;
const recurring = /\/recurring-details/;
const last = /last-recurring/;

/** The path value at an index: 0 is the purchaseId, 2 the productId. */
const valueAt = ({ path }: Seen, place: number) => path.split('/')[4 + place] ?? '';
const withValue = ({ path }: Seen, place: number, value: string) =>
  path
    .split('/')
    .with(4 + place, value)
    .join('/');

const isKnown = (seen: Seen, till: Till) => till.purchases.has(valueAt(seen, 0));
const isUnknown = (seen: Seen, till: Till) => !isKnown(seen, till) && valueAt(seen, 0).startsWith('NO-SUCH');

export const detailsFaults: readonly PlantedFault[] = [
  {
    name: 'purchaseTime is in seconds',
    finds: ['details-01', 'product-02', 'voided-11'],
    fault: spoils(details, (body) => ({ ...body, purchaseTime: Math.floor(body.purchaseTime / 1_000) })),
  },
  {
    name: 'a purchase always has consumptionState 1',
    finds: ['details-02', 'product-02', 'consume-04'],
    fault: spoils(details, (body) => ({ ...body, consumptionState: 1 })),
  },
  {
    name: 'a purchase always has purchaseState 1',
    finds: ['details-03', 'product-02'],
    fault: spoils(details, (body) => ({ ...body, purchaseState: 1 })),
  },
  {
    name: 'a cancelled purchase has purchaseState 0',
    finds: ['details-05'],
    fault: spoils(details, (body) => ({ ...body, purchaseState: 0 })),
  },
  {
    name: 'an unknown purchase is an empty object',
    finds: ['details-06', 'error-03'],
    fault: insteadOfRefusal(details, (seen, till) => (isUnknown(seen, till) ? done({}) : undefined)),
  },
  {
    name: 'developerPayload is null by product',
    finds: ['product-01', 'product-02'],
    fault: spoils(byProduct, (body) => ({ ...body, developerPayload: null })),
  },
  {
    name: 'the product is not compared',
    finds: ['product-03', 'product-04', 'product-05', 'size-04'],
    fault: insteadOfRefusal(byProduct, (seen, till) => {
      const purchase = till.purchases.get(valueAt(seen, 0));
      return purchase && done({ ...fresh, purchaseTime: purchase.purchaseTime });
    }),
  },
  {
    name: 'by product, an unknown purchase is an empty object',
    finds: ['product-06'],
    fault: insteadOfRefusal(byProduct, (seen, till) => (isUnknown(seen, till) ? done({}) : undefined)),
  },
  {
    name: 'a purchaseId is truncated to its maximum size',
    finds: ['size-01'],
    fault: reads((seen) => {
      const purchaseId = valueAt(seen, 0);
      return details.test(seen.path) && purchaseId.length > 20
        ? { path: withValue(seen, 0, purchaseId.slice(0, 20)) }
        : undefined;
    }),
  },
  {
    name: 'a productId of the maximum size is rejected',
    finds: ['size-03'],
    fault: (seen, answer) => (valueAt(seen, 2).length === 150 ? failed(9001) : answer(seen)),
  },
  {
    name: 'developerPayload is truncated to 100 characters',
    finds: ['size-05'],
    fault: spoils(details, (body) => ({ ...body, developerPayload: body.developerPayload.slice(0, 100) })),
  },
  {
    name: 'purchases of other apps can be read',
    finds: ['other-app-01', 'other-app-02'],
    fault: insteadOfRefusal(details, (seen, till) => (isKnown(seen, till) ? done(fresh) : undefined)),
  },
];

const fresh = {
  consumptionState: 0,
  developerPayload: '',
  purchaseState: 0,
  purchaseTime: 1_773_576_000_000,
};

export const subscriptionFaults: readonly PlantedFault[] = [
  {
    name: 'the price is a string',
    finds: ['subscription-01', 'manage-10'],
    fault: spoils(recurring, (body) => ({ ...body, price: '4.99' })),
  },
  {
    name: 'a month ends where it starts',
    finds: ['subscription-02', 'subscription-07'],
    fault: spoils(recurring, (body) => ({ ...body, expiryTime: body.startTime })),
  },
  {
    name: 'an unknown subscription is an empty object',
    finds: ['subscription-03', 'subscription-06'],
    fault: insteadOfRefusal(/recurring-details/, (seen, till) =>
      isUnknown(seen, till) ? done({}) : undefined,
    ),
  },
  {
    name: 'the latest month has no lastPurchaseId',
    finds: ['subscription-04', 'subscription-07', 'manage-11'],
    fault: spoils(last, ({ lastPurchaseId: _, ...body }) => body),
  },
  {
    name: 'the latest month ends where it starts',
    finds: ['subscription-05', 'subscription-07'],
    fault: spoils(last, (body) => ({ ...body, expiryTime: body.startTime })),
  },
  {
    name: 'the latest month is the first',
    finds: ['subscription-08'],
    fault: spoils(last, (body, seen, till) => {
      const { purchaseTime, expiryTime } = till.purchases.get(valueAt(seen, 0)) ?? {};
      return { ...body, startTime: purchaseTime, expiryTime };
    }),
  },
];

const errors = ['01', '02', '03', '04', '05', '06'].map((place) => `error-${place}`);

export const errorFaults: readonly PlantedFault[] = [
  {
    name: 'the code of an error is a string',
    finds: errors,
    fault: (seen, answer) => {
      const reply = answer(seen);
      return isRefused(reply)
        ? { ...reply, body: { error: { code: String(errorCodeOf(reply)), message: 'Refused.' } } }
        : reply;
    },
  },
  {
    name: 'a wrong header cuts the connection',
    finds: Array.from(
      { length: 18 },
      (_, index) => `authorization-${String(index + 1).padStart(2, '0')}`,
    ).concat('error-02'),
    fault: (seen, answer) => {
      const reply = answer(seen);
      return errorCodeOf(reply) === 401 ? undefined : reply;
    },
  },
];
