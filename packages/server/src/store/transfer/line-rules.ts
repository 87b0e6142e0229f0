// Rules on imported lines that their columns cannot express: no server writes rows that break them, and readers of such
// rows would fail.

import type { NewFault } from '@opentill/contract/faults.ts';
import { faultProblems } from '../../domain/sandbox/faults.ts';
import { anchorOfMoved, isTimeZone } from '../../domain/subscriptions/calendar-period.ts';

export type LineValues = Readonly<Record<string, unknown>>;

/** Returns the problem of a line whose fields are valid one by one. */
export type LineRule = (values: LineValues) => string | undefined;

/** A line has all of these fields or none of them. */
export function together(...fields: readonly string[]): LineRule {
  return (values) => {
    const there = fields.find((field) => values[field] !== undefined);
    const absent = fields.find((field) => values[field] === undefined);
    return there && absent && `${absent}: expected one, as there is ${there}`;
  };
}

/** A subscription that ended, or whose buyer was erased, has nothing left to renew. */
export const subscriptionRule: LineRule = ({
  timeZone,
  autoRenewing,
  nextPaymentTime,
  expiryTold,
  ...values
}) => {
  if (!isTimeZone(String(timeZone))) return 'timeZone: expected a name such as Europe/Berlin';
  if (autoRenewing !== true) {
    return nextPaymentTime === undefined
      ? undefined
      : 'nextPaymentTime: expected none while autoRenewing is false';
  }
  if (nextPaymentTime === undefined) return 'nextPaymentTime: expected one while autoRenewing is true';
  if (expiryTold === true) return 'expiryTold: expected false while autoRenewing is true';
  const after = ['cancelledTime', 'terminatedTime', 'erasedAt'].find((field) => values[field] !== undefined);
  return after && `${after}: expected none while autoRenewing is true`;
};

/** A month cannot be consumed, and ends before it starts only if it was void before. */
export const purchaseRule: LineRule = ({ startTime, expiryTime, voidedTime, consumedTime }) => {
  if (startTime === undefined) return undefined;
  if (consumedTime !== undefined) return 'consumedTime: expected none for a month of a subscription';
  if (Number(expiryTime) >= Number(startTime) || expiryTime === voidedTime) return undefined;
  return `expiryTime: expected ${startTime}, the startTime, or later, got ${expiryTime}`;
};

/** The values of a subscription, whose line may leave out its anchor. */
export const withAnchor = (values: LineValues): LineValues =>
  values['anchorTime'] === undefined
    ? { ...values, ...anchorOfMoved(values as Parameters<typeof anchorOfMoved>[0]) }
    : values;

/** The type of an event determines which ids it has; only a month has a record. */
export const eventRule: LineRule = ({ type, ...values }) => {
  const isOf = (field: string) => values[field] !== undefined;
  const isMonth = isOf('firstPurchaseId');
  const expected: Readonly<Record<string, boolean>> = {
    purchaseId: type !== 'test',
    productId: type !== 'test',
    firstPurchaseId:
      String(type).startsWith('subscription.') ||
      (isMonth && type !== 'test' && type !== 'purchase.consumed'),
    record: isMonth,
    expiryReason: type === 'subscription.expired',
  };
  const wrong = Object.entries(expected).find(([field, isThere]) => isThere !== isOf(field));
  return wrong && `${wrong[0]}: expected ${wrong[1] ? 'one' : 'none'} in such an event`;
};

/** The rule of putFaults. */
export const faultRule: LineRule = (values) => {
  const [problem] = faultProblems(values as unknown as NewFault);
  return problem && `${problem.field}: ${problem.message}`;
};

export const webhookRule: LineRule = ({ url }) =>
  URL.canParse(String(url)) ? undefined : 'url: expected a URL';
