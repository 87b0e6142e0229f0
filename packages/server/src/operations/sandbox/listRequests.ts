// Lists the last calls that an app made to the purchase API, newest first, and explains them.

import { LoggedRequest } from '@opentill/contract/logged-request.ts';
import { listRequests as operation } from '@opentill/contract/operator-api/listRequests.ts';
import { causeOfCall, explanationOf, hintsOfCall } from '../../domain/sandbox/call-explanation.ts';
import { findApp } from '../../store/apps/apps.ts';
import type { RequestLog } from '../../store/sandbox/request-log.ts';
import { type LoggedCall, LogPosition, listCalls } from '../../store/sandbox/request-log.ts';
import type { Store } from '../../store/store.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { noSuchApp } from '../refusal.ts';
import { shown } from '../shown.ts';

export function listRequests({ database }: Store, requestLog: RequestLog): OperatorHandler {
  return listHandler(operation, LogPosition, async ({ path: { packageName }, query }, page) => {
    const queryable = database.scopedTo(packageName);
    if ((await findApp(queryable, packageName)) === undefined) return noSuchApp(packageName);
    await requestLog.flush();
    const { rows, next } = await listCalls(queryable, { ...query, packageName }, page);
    return { requests: rows.map(loggedRequest), next };
  });
}

function loggedRequest(call: LoggedCall): LoggedRequest {
  const hints = hintsOfCall(call);
  return shown(LoggedRequest, {
    ...call,
    time: call.calledAt,
    fault: call.faultPosition,
    cause: causeOfCall(call, hints),
    hints: hints.map((hint) => ({ hint, explanation: explanationOf(hint, call) })),
  });
}
