// The faults that a developer can inject into the calls of an app in the sandbox.

import Type, { type Static } from 'typebox';
import { PurchaseId } from './fields.ts';

/** Faults of one app; each call checks all of them. */
export const faultsMax = 50;

/** Longest delay of a response, in ms: longer than any sensible client timeout. */
export const delayMsMax = 30_000;

/** Largest `times`; a fault without it applies until it is replaced. */
const timesMax = 1_000_000;

/** HTTP statuses that a fault may respond with. */
const faultStatus = { min: 400, max: 599 } as const;

const operation = Type.Union(
  [
    Type.Literal('getAccessToken'),
    Type.Literal('getPurchaseDetails'),
    Type.Literal('getPurchaseDetailsByProductId'),
    Type.Literal('getRecurringPurchaseDetails'),
    Type.Literal('getLastRecurringPurchaseDetails'),
    Type.Literal('manageRecurringPaymentStatus'),
    Type.Literal('getVoidedPurchases'),
    Type.Literal('consumePurchase'),
    Type.Literal('charge'),
  ],
  {
    description:
      'An operation of the purchase API, or `charge` for the payment of a subscription period that costs more than 0.',
  },
);
const code = Type.Integer({
  description:
    'Responds with this error code, its HTTP status and its message: an error code of the operation, 401 or 9999. The operation is not executed.',
});
const httpStatus = Type.Integer({
  minimum: faultStatus.min,
  maximum: faultStatus.max,
  description: 'Responds with this HTTP status and error code 9999. The operation is not executed.',
});
const delayMs = Type.Integer({
  minimum: 1,
  maximum: delayMsMax,
  description: 'Delays the response by this many ms. The operation itself is executed without delay.',
});
const cut = Type.Union([Type.Literal('before'), Type.Literal('after')], {
  description:
    'Closes the connection without a response: before the operation is executed, or after it, so that only the response is lost.',
});
const outcome = Type.Union(
  [
    Type.Literal('declined'),
    Type.Literal('declinedFinal'),
    Type.Literal('pending'),
    Type.Literal('noAnswer'),
  ],
  { description: 'The outcome of the payment; only for `charge`.' },
);
const firstPurchaseId = {
  ...PurchaseId,
  description: 'Applies to the payments of this subscription alone; only for `charge`.',
};
const times = Type.Integer({
  minimum: 1,
  maximum: timesMax,
  description: 'Applies to this many calls, by default to all of them.',
});

const choice = {
  code: Type.Optional(code),
  httpStatus: Type.Optional(httpStatus),
  delayMs: Type.Optional(delayMs),
  cut: Type.Optional(cut),
  outcome: Type.Optional(outcome),
  firstPurchaseId: Type.Optional(firstPurchaseId),
  times: Type.Optional(times),
};

export const NewFault = Type.Object(
  { operation, ...choice },
  {
    $id: 'NewFault',
    additionalProperties: false,
    examples: [{ operation: 'getPurchaseDetails', httpStatus: 503, times: 1 }],
  },
);
export type NewFault = Static<typeof NewFault>;

export const NewFaults = Type.Array(NewFault, {
  maxItems: faultsMax,
  description: 'Replaces all previous faults. The first fault in the list that applies to a call is used.',
});

export const Fault = Type.Object(
  {
    operation,
    ...choice,
    applied: Type.Integer({ minimum: 0, description: 'The number of calls that the fault was applied to.' }),
  },
  { $id: 'Fault' },
);

export const Faults = Type.Object(
  { faults: Type.Array(Fault, { maxItems: faultsMax }) },
  { $id: 'Faults', description: 'The faults of the app, in the order in which they are checked.' },
);
export type Faults = Static<typeof Faults>;
