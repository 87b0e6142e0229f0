// The resources exactly as the specification defines them ("Resources and their fields"), without the additional decisions
// of OpenTill's own server (docs/decisions/).

import {
  CancelReason,
  ConsumptionState,
  PurchaseState,
  ResponseCode,
  sizes,
  Timestamp,
} from '@opentill/contract/fields.ts';
import Type, { type TObject, type TSchema } from 'typebox';
import Value from 'typebox/value';
import { isObject } from './answer.ts';

/** The largest number with ten digits. */
const expiresInMax = 9_999_999_999;

const text = (maxLength: number, minLength = 0) =>
  Type.String({ minLength, maxLength, description: `a string of ${minLength} to ${maxLength} characters` });
const flag = Type.Boolean({ description: 'true or false' });

const developerPayload = text(sizes.developerPayload);
const purchaseId = text(sizes.purchaseId, 1);
const cancelReason = Type.Optional(CancelReason);
const optionalTime = Type.Optional(Timestamp);

export const AccessTokenShape = Type.Object({
  status: text(7, 1),
  client_id: text(sizes.clientId, 1),
  access_token: text(sizes.accessToken, 1),
  token_type: text(6, 1),
  expires_in: Type.Integer({
    minimum: 0,
    maximum: expiresInMax,
    description: 'an integer of at most 10 digits',
  }),
  scope: text(sizes.scope),
});

export const PurchaseShape = Type.Object({
  consumptionState: ConsumptionState,
  developerPayload,
  purchaseState: PurchaseState,
  purchaseTime: Timestamp,
});

export const RecurringPurchaseShape = Type.Object({
  startTime: Timestamp,
  expiryTime: Timestamp,
  nextPaymentTime: optionalTime,
  autoRenewing: flag,
  price: Type.Integer({ description: 'an integer' }),
  developerPayload: Type.Optional(developerPayload),
  purchaseState: PurchaseState,
  cancelReason,
  cancelledTime: optionalTime,
});

export const LastRecurringPurchaseShape = Type.Object({
  startTime: Timestamp,
  expiryTime: Timestamp,
  nextPaymentTime: optionalTime,
  autoRenewing: flag,
  cancelReason,
  cancelledTime: optionalTime,
  lastPurchaseId: purchaseId,
});

export const PaymentStatusShape = Type.Object({ responseCode: ResponseCode, purchaseId });

export const VoidedEntryShape = Type.Object({ purchaseId, purchaseTime: Timestamp, voidedTime: Timestamp });

export const VoidedListShape = Type.Object({
  continuationKey: Type.Optional(text(sizes.continuationKey, 1)),
  voidedPurchaseList: Type.Array(Type.Unknown(), { description: 'a list of entries' }),
});

export const ConsumptionShape = Type.Object({ consumptionState: ConsumptionState, purchaseId });

export const ErrorShape = Type.Object({
  code: Type.Integer({ description: 'an integer' }),
  message: Type.String({ description: 'a string' }),
});

/** Lists the problems with the fields of a value. Fields that the specification does not define are ignored. */
export function shapeProblems(shape: TObject, value: unknown): string[] {
  if (!isObject(value)) return ['expected a JSON object.'];
  const required: readonly string[] = shape.required ?? [];
  return Object.entries(shape.properties as Record<string, TSchema>).flatMap(([name, schema]) => {
    if (!Object.hasOwn(value, name)) return required.includes(name) ? [`${name} is missing.`] : [];
    if (Value.Check(schema, value[name])) return [];
    const { description } = schema as { description?: string };
    return [`${name}: expected ${description}, got ${JSON.stringify(value[name])}.`];
  });
}
