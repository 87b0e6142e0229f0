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
  type LogPlace,
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
    const hintsOf = hintsByPlace(outlines);
    const asked = outlines.filter(isBefore(page.after));
    const { shown, next } = pageOfRows(asked, page.limit);
    const calls = await listCalls(database, packageName, shown);
    const requests = calls.map((call) => shownRequest(call, hintsOf.get(placeOf(call)) ?? []));
    return answered(200, { requests, ...nextPage(next, token) });
  });
}

/** Calls further back than a place, which may itself be gone by now. */
function isBefore(place: LogPlace | undefined): (call: LogPlace) => boolean {
  if (place === undefined) return () => true;
  return ({ calledAt, callOrder, requestId }) => {
    if (calledAt !== place.calledAt) return calledAt < place.calledAt;
    if (callOrder !== place.callOrder) return callOrder < place.callOrder;
    return requestId < place.requestId;
  };
}

/** The hints that follow from calls in a row: a page's calls are told by all that are kept before them. */
function hintsByPlace(newestFirst: readonly CallOutline[]): Map<string, readonly HintName[]> {
  const inRow = newestFirst.toReversed();
  const hints = hintsInRow(inRow.map((call) => ({ ...call, isSuccess: call.httpStatus === 200 })));
  return new Map(inRow.map((call, index) => [placeOf(call), hints[index] ?? []]));
}

function placeOf({ calledAt, callOrder, requestId }: LogPlace): string {
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
