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
import { isObject } from './http-response.ts';

const text = (maxLength: number, minLength = 0) =>
  Type.String({ minLength, maxLength, description: `a string of ${minLength} to ${maxLength} characters` });

const developerPayload = text(sizes.developerPayload);
const purchaseId = text(sizes.purchaseId, 1);
const optionalTime = Type.Optional(Timestamp);
const period = {
  startTime: Timestamp,
  expiryTime: Timestamp,
  nextPaymentTime: optionalTime,
  autoRenewing: Type.Boolean({ description: 'true or false' }),
  cancelReason: Type.Optional(CancelReason),
  cancelledTime: optionalTime,
};
const expiresIn = { minimum: 0, maximum: 9_999_999_999, description: 'an integer of at most 10 digits' };

export const AccessTokenShape = Type.Object({
  status: text(7, 1),
  client_id: text(sizes.clientId, 1),
  access_token: text(sizes.accessToken, 1),
  token_type: text(6, 1),
  expires_in: Type.Integer(expiresIn),
  scope: text(sizes.scope),
});

export const PurchaseShape = Type.Object({
  consumptionState: ConsumptionState,
  developerPayload,
  purchaseState: PurchaseState,
  purchaseTime: Timestamp,
});

export const RecurringPurchaseShape = Type.Object({
  ...period,
  price: Type.Integer({ description: 'an integer' }),
  developerPayload: Type.Optional(developerPayload),
  purchaseState: PurchaseState,
});

export const LastRecurringPurchaseShape = Type.Object({ ...period, lastPurchaseId: purchaseId });

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
