// What fits the columns of a kind and would be of no use all the same: nothing writes such a row, and what reads it
// could not answer.

import type { NewFault } from '@opentill/contract/faults.ts';
import { faultProblems } from '../../domain/sandbox/faults.ts';
import { isTimeZone } from '../../domain/subscriptions/calendar-period.ts';

/** What is wrong with the values of a line whose fields are as they should be by themselves. */
export type LineRule = (values: Readonly<Record<string, unknown>>) => string | undefined;

export const subscriptionRule: LineRule = ({ timeZone }) =>
  isTimeZone(String(timeZone)) ? undefined : 'timeZone: expected a name such as Europe/Berlin';

/** Which purchase an event is of follows from its type, and a record is that of a month. */
export const eventRule: LineRule = ({ type, ...values }) => {
  const isOf = (field: string) => values[field] !== undefined;
  const isMonth = isOf('firstPurchaseId');
  const expected: Readonly<Record<string, boolean>> = {
    purchaseId: type !== 'test',
    productId: type !== 'test',
    firstPurchaseId:
      String(type).startsWith('subscription.') ||
      (isMonth && type !== 'test' && type !== 'purchase.consumed'),
    record: isMonth && isOf('record'),
  };
  const wrong = Object.entries(expected).find(([field, isThere]) => isThere !== isOf(field));
  return wrong && `${wrong[0]}: expected ${wrong[1] ? 'one' : 'none'} in such an event`;
};

/** As putFaults has it. */
export const faultRule: LineRule = (values) => {
  const [problem] = faultProblems(values as unknown as NewFault);
  return problem && `${problem.field}: ${problem.message}`;
};
