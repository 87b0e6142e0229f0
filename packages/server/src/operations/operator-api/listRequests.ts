// Lists the last calls that an app made to the purchase API, newest first, with hints.

import {
  hints as explanations,
  type HintName,
  type LoggedRequest,
} from '@opentill/contract/logged-request.ts';
import { listRequests as operation } from '@opentill/contract/operator-api/listRequests.ts';
import Type from 'typebox';
import { hintsInRow } from '../../domain/request-hints.ts';
import { findApp } from '../../store/apps.ts';
import type { Database } from '../../store/database.ts';
import {
  type CallOutline,
  type LoggedCall,
  listCalls,
  listOutlines,
  type RequestLog,
} from '../../store/request-log.ts';
import { pageToken } from '../page-token.ts';
import { noSuchApp } from './missing.ts';
import { answered, type OperatorHandler, operatorHandler } from './operator-handler.ts';
import { nextPage, pageOfRows, requestedPage } from './requested-page.ts';

const token = pageToken(
  Type.Object({
    calledAt: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    callOrder: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    requestId: Type.String({ maxLength: 100, pattern: '^[\\w-]*$' }),
  }),
);

export function listRequests(database: Database, requestLog: RequestLog): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName }, query }) => {
    const page = requestedPage(query, token);
    if ('problem' in page) return page;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    await requestLog.flush();
    const outlines = await listOutlines(database, packageName);
    const rows = await listCalls(database, {
      packageName,
      before: page.after,
      limit: page.limit + 1,
    });
    const hintsOf = hintsByPlace(outlines);
    // What stands over the limit until the log is trimmed is gone already.
    const kept = rows.filter((row) => hintsOf.has(placeOf(row)));
    const { shown, next } = pageOfRows(kept, page.limit);
    const requests = shown.map((row) => shownRequest(row, hintsOf.get(placeOf(row)) ?? []));
    return answered(200, { requests, ...nextPage(next, token) });
  });
}

/** The hints that follow from calls in a row: a page's calls are told by all that are kept before them. */
function hintsByPlace(newestFirst: readonly CallOutline[]): Map<string, readonly HintName[]> {
  const inRow = newestFirst.toReversed();
  const hints = hintsInRow(inRow.map((call) => ({ ...call, isSuccess: call.httpStatus === 200 })));
  return new Map(inRow.map((call, index) => [placeOf(call), hints[index] ?? []]));
}

function placeOf({ calledAt, callOrder, requestId }: CallOutline): string {
  return `${calledAt} ${callOrder} ${requestId}`;
}

function shownRequest(call: LoggedCall, inRow: readonly HintName[]): LoggedRequest {
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
    hints: [...call.hints, ...inRow].map((hint) => ({ hint, explanation: explanations[hint] })),
  };
}
