// The resources of the purchase API (the specification, "Resources and their fields"). The order of the keys here is
// their order in responses.

import Type, { type Static } from 'typebox';
import {
  CancelReason,
  ConsumptionState,
  DeveloperPayload,
  Price,
  PurchaseId,
  PurchaseState,
  ResponseCode,
  sizes,
  Timestamp,
} from './fields.ts';

export const AccessTokenResponse = Type.Object(
  {
    status: Type.Literal('SUCCESS'),
    client_id: Type.String({ maxLength: sizes.clientId }),
    access_token: Type.String({ minLength: sizes.accessToken, maxLength: sizes.accessToken }),
    token_type: Type.Literal('bearer'),
    expires_in: Type.Integer({ minimum: 0, description: 'Remaining validity in seconds.' }),
    scope: Type.Literal('DEFAULT'),
  },
  { $id: 'AccessTokenResponse' },
);
export type AccessTokenResponse = Static<typeof AccessTokenResponse>;

export const PurchaseDetails = Type.Object(
  {
    consumptionState: ConsumptionState,
    developerPayload: DeveloperPayload,
    purchaseState: PurchaseState,
    purchaseTime: Timestamp,
  },
  { $id: 'PurchaseDetails' },
);
export type PurchaseDetails = Static<typeof PurchaseDetails>;

const autoRenewing = Type.Boolean({
  description: 'Whether the next period is paid automatically after expiryTime.',
});

export const RecurringPurchaseDetails = Type.Object(
  {
    startTime: Timestamp,
    expiryTime: Timestamp,
    nextPaymentTime: Type.Optional(Timestamp),
    autoRenewing,
    price: Price,
    developerPayload: Type.Optional(DeveloperPayload),
    purchaseState: PurchaseState,
    cancelReason: Type.Optional(CancelReason),
    cancelledTime: Type.Optional(Timestamp),
  },
  { $id: 'RecurringPurchaseDetails' },
);
export type RecurringPurchaseDetails = Static<typeof RecurringPurchaseDetails>;

export const LastRecurringPurchaseDetails = Type.Object(
  {
    startTime: Timestamp,
    expiryTime: Timestamp,
    nextPaymentTime: Type.Optional(Timestamp),
    autoRenewing,
    cancelReason: Type.Optional(CancelReason),
    cancelledTime: Type.Optional(Timestamp),
    lastPurchaseId: PurchaseId,
  },
  { $id: 'LastRecurringPurchaseDetails' },
);
export type LastRecurringPurchaseDetails = Static<typeof LastRecurringPurchaseDetails>;

export const PaymentStatusChange = Type.Object(
  { responseCode: ResponseCode, purchaseId: PurchaseId },
  { $id: 'PaymentStatusChange' },
);
export type PaymentStatusChange = Static<typeof PaymentStatusChange>;

export const VoidedPurchase = Type.Object(
  { purchaseId: PurchaseId, purchaseTime: Timestamp, voidedTime: Timestamp },
  { $id: 'VoidedPurchase' },
);
export type VoidedPurchase = Static<typeof VoidedPurchase>;

export const VoidedPurchases = Type.Object(
  {
    continuationKey: Type.Optional(
      Type.String({
        minLength: sizes.continuationKey,
        maxLength: sizes.continuationKey,
        description: 'Present when more voided purchases remain.',
      }),
    ),
    voidedPurchaseList: Type.Array(VoidedPurchase),
  },
  { $id: 'VoidedPurchases' },
);
export type VoidedPurchases = Static<typeof VoidedPurchases>;

export const ConsumptionResult = Type.Object(
  { consumptionState: ConsumptionState, purchaseId: PurchaseId },
  { $id: 'ConsumptionResult' },
);
export type ConsumptionResult = Static<typeof ConsumptionResult>;
