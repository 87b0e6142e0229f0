// Runs an operator operation for the process itself, without HTTP.

import { actionRecorder } from '../operations/audit/action-recorder.ts';
import type { OperatorCall, OperatorHandler, OperatorResponse } from '../operations/operator-handler.ts';

interface OwnCall extends Pick<OperatorCall, 'path' | 'body'> {
  readonly madeBy: string;
  /** Real time, ms. */
  readonly now: number;
}

export function runOperation(
  handlers: readonly OperatorHandler[],
  operationId: string,
  { path, body, madeBy, now }: OwnCall,
): Promise<OperatorResponse> {
  const handler = handlers.find(({ operation }) => operation.operationId === operationId);
  if (handler === undefined) throw new Error(`There is no operation ${operationId}.`);
  const { operation } = handler;
  const author = { madeBy, requestId: 'start', clientAddress: null };
  const recordAction = actionRecorder({ operation, path, body, author, time: now });
  return handler.handle({ path, body, query: {}, now, realNow: now, author, recordAction });
}
