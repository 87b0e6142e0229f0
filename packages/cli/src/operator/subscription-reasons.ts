// The reasons of the events of a subscription, which are in the audit trail.

import type { Action, CallOptions, OperatorClient, Subscription } from '@opentill/client/operator';

export type ReasonedEvent = Subscription['events'][number] & Pick<Action, 'reasonCode' | 'note'>;

/** Subjects whose actions are read: the subscription, and months that an operator voided. */
const subjectsMax = 20;

const pageSize = 200;

/** Without reasons if the key may not read the audit trail, or that fails: the command itself has succeeded. */
export async function withReasons(
  subscription: Subscription,
  client: OperatorClient,
  ending: CallOptions,
): Promise<Subscription> {
  const { packageName, firstPurchaseId, events } = subscription;
  const byOperators = events.filter(({ madeBy }) => madeBy.startsWith('operator:'));
  const ids = [firstPurchaseId, ...byOperators.map(({ purchaseId }) => purchaseId)];
  const actions: Action[] = [];
  try {
    for (const subject of [...new Set(ids)].slice(0, subjectsMax))
      actions.push(...(await client.listActions({ packageName, subject, pageSize }, ending)).actions);
  } catch (error) {
    if ((error as Error).name !== 'OpenTillError') throw error;
  }
  const byRequest = new Map(actions.map((action) => [action.requestId, action]));
  const reasoned = events.map((event): ReasonedEvent => {
    const { reasonCode, note } = byRequest.get(event.requestId) ?? {};
    return { ...event, ...(reasonCode && { reasonCode }), ...(note && { note }) };
  });
  return { ...subscription, events: reasoned };
}
