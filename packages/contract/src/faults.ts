// Faults: what a developer wants to go wrong with the calls of an app in the sandbox, as data.

import Type, { type Static } from 'typebox';

/** Faults of one app: each call looks through them. */
export const faultsMax = 50;

/** Longest delay of an answer, in ms: longer than any client waits with sense. */
export const delayMsMax = 30_000;

/** Largest `times`; a fault without it applies until it is replaced. */
const timesMax = 1_000_000;

const seedMax = 4_294_967_295;

/** Statuses that a fault may answer with. */
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
  { description: 'An operation of the purchase API, or charge: the payment of a month of a subscription.' },
);
const code = Type.Integer({
  description:
    'Answers with this error code, its HTTP status and its message: one that the operation has, or 401 or 9999. The operation does not take place.',
});
const httpStatus = Type.Integer({
  minimum: faultStatus.min,
  maximum: faultStatus.max,
  description: 'Answers with this status and the error code 9999. The operation does not take place.',
});
const delayMs = Type.Integer({
  minimum: 1,
  maximum: delayMsMax,
  description: 'Holds the answer back for so long; an operation that takes place does so at once.',
});
const cut = Type.Union([Type.Literal('before'), Type.Literal('after')], {
  description:
    'Cuts the connection instead of answering: before the operation takes place, or after it, so that only its answer is lost.',
});
const outcome = Type.Union(
  [
    Type.Literal('declined'),
    Type.Literal('declined_final'),
    Type.Literal('pending'),
    Type.Literal('no_answer'),
  ],
  { description: 'What the payment comes to; for charge only.' },
);
const times = Type.Integer({
  minimum: 1,
  maximum: timesMax,
  description: 'Applies to so many calls, then to none; without it, to every one.',
});
const probability = Type.Number({
  exclusiveMinimum: 0,
  maximum: 1,
  description: 'Applies to a call with this probability.',
});
const seed = Type.Integer({
  minimum: 0,
  maximum: seedMax,
  description: 'With the same seed the same calls in a row meet the fault; drawn where it is left out.',
});

const choice = {
  code: Type.Optional(code),
  httpStatus: Type.Optional(httpStatus),
  delayMs: Type.Optional(delayMs),
  cut: Type.Optional(cut),
  outcome: Type.Optional(outcome),
  times: Type.Optional(times),
  probability: Type.Optional(probability),
  seed: Type.Optional(seed),
};

export const NewFault = Type.Object(
  { operation, ...choice },
  { $id: 'NewFault', additionalProperties: false },
);
export type NewFault = Static<typeof NewFault>;

export const NewFaults = Type.Array(NewFault, {
  maxItems: faultsMax,
  description: 'In place of all faults before; the first in the list that applies to a call counts.',
});

const Fault = Type.Object(
  {
    operation,
    ...choice,
    applied: Type.Integer({ minimum: 0, description: 'Calls that it has applied to.' }),
  },
  { $id: 'Fault' },
);

export const Faults = Type.Object(
  { faults: Type.Array(Fault, { maxItems: faultsMax }) },
  { $id: 'Faults', description: 'What goes wrong with the calls of the app, in the order of the list.' },
);
export type Faults = Static<typeof Faults>;
