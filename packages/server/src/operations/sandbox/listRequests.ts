// Lists the last calls that an app made to the purchase API, newest first, with hints.

import { hints as explanations, type LoggedRequest } from '@opentill/contract/logged-request.ts';
import { listRequests as operation } from '@opentill/contract/operator-api/listRequests.ts';
import Type from 'typebox';
import { causeOfCall } from '../../domain/sandbox/call-cause.ts';
import { findApp } from '../../store/apps/apps.ts';
import { type LoggedCall, listCalls } from '../../store/sandbox/request-log.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchApp } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { pageToken } from '../page-token.ts';
import { Refusal } from '../refusal.ts';
import { nextPage, pageOfRows, requestedPage } from '../requested-page.ts';

const token = pageToken(
  Type.Object({
    calledAt: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    callOrder: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    requestId: Type.String({ maxLength: 100, pattern: '^[\\w-]*$' }),
  }),
);

export function listRequests({
  store: { database },
  requestLog,
}: Uses<'store' | 'requestLog'>): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName }, query }) => {
    const page = requestedPage(query, token);
    if (page instanceof Refusal) return page;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    await requestLog.flush();
    const { operationId, status, hint } = query;
    const calls = await listCalls(database, packageName, {
      filter: { operationId, status, hint },
      before: page.after,
      limit: page.limit + 1,
    });
    const { items, next } = pageOfRows(calls, page.limit);
    return answered(200, { requests: items.map(loggedRequest), ...nextPage(next, token) });
  });
}

function loggedRequest(call: LoggedCall): LoggedRequest {
  const cause = causeOfCall(call);
  return {
    time: call.calledAt,
    appTime: call.appTime,
    requestId: call.requestId,
    operationId: call.operationId,
    method: call.method,
    path: call.path,
    ...(call.httpStatus !== null && { httpStatus: call.httpStatus }),
    ...(call.errorCode !== null && { errorCode: call.errorCode }),
    latencyMs: call.latencyMs,
    answer: call.answer,
    isAnswerCut: call.isAnswerCut,
    ...(call.faultPosition !== null && { fault: call.faultPosition }),
    ...(cause !== undefined && { cause }),
    hints: call.hints.map((hint) => ({ hint, explanation: explanations[hint] })),
  };
}
