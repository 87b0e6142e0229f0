// Answers calls of the purchase API as its routes do, but without a socket: no token, no faults and no log.

import type { AnswerPurchaseCall } from '../operations/handler-options.ts';
import type { PurchaseHandler } from '../operations/purchase-handler.ts';
import { Refusal } from '../operations/refusal.ts';
import { renderError } from './error-response.ts';
import { serializerOf } from './serializers.ts';

export function purchaseAnswers(handlers: readonly PurchaseHandler[]): AnswerPurchaseCall {
  return async (operationId, call) => {
    const handler = handlers.find(({ operation }) => operation.operationId === operationId);
    if (handler === undefined) throw new Error(`The purchase API has no operation ${operationId}.`);
    const outcome = await handler.handle(call);
    if (outcome instanceof Refusal) {
      const { status, body } = renderError('purchase', outcome.error, outcome);
      return { httpStatus: status, body: JSON.parse(body) };
    }
    const serialize = serializerOf({ schema: handler.operation.response });
    return { httpStatus: 200, body: JSON.parse(serialize(outcome)) };
  };
}
