// Makes the action of a call, or of a command that opens the database itself: what the audit trail stores of it.

import type { ActionDetail, ReasonCode } from '@opentill/contract/actions.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { appendAction, type NewAction, type RecordedAction } from '../../store/audit/actions.ts';
import type { CallAuthor } from '../../store/events/events.ts';
import type { RecordAction } from '../operator-handler.ts';

/** For a call with an app's own token, which is in the request log instead. */
export const noAction: RecordAction = async () => undefined;

interface ActingCall {
  readonly operation: Pick<OperatorOperation, 'operationId' | 'pathParameters'>;
  readonly path: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly author: CallAuthor;
  /** Real time, ms. */
  readonly time: number;
}

/** The subject is the first id in the path, and the reason is that of the body. */
function actionOf({ operation, path, body, author, time }: ActingCall): NewAction {
  const subject = Object.keys(operation.pathParameters).find((name) => name !== 'packageName');
  return {
    time,
    operationId: operation.operationId,
    madeBy: author.madeBy,
    clientAddress: author.clientAddress,
    requestId: author.requestId,
    subject: subject === undefined ? null : (path[subject] ?? null),
    detail: null,
    reasonCode: (body['reasonCode'] as ReasonCode | undefined) ?? null,
    note: (body['note'] as string | undefined) ?? null,
    ticket: (body['ticket'] as string | undefined) ?? null,
  };
}

/** `onRecorded` is called before the transaction commits. */
export function actionRecorder(
  call: ActingCall,
  onRecorded: (action: RecordedAction) => void = () => undefined,
): RecordAction {
  return async (transaction, packageName, detail, replacing) => {
    const action = { ...actionOf(call), detail: detail ?? null, ...replacing };
    if (!(await appendAction(transaction, packageName, action)))
      throw new Error(`The app ${packageName} has no counter row.`);
    onRecorded({ packageName, ...action });
  };
}

/** The author and the time of a command. */
export interface CommandAuthor {
  /** `command:<user name>`. */
  readonly madeBy: string;
  /** Real time, ms. */
  readonly time: number;
}

export function commandAction(
  name: string,
  { madeBy, time }: CommandAuthor,
  detail: ActionDetail,
): NewAction {
  return {
    time,
    operationId: name,
    madeBy,
    clientAddress: null,
    requestId: null,
    subject: null,
    detail,
    reasonCode: null,
    note: null,
    ticket: null,
  };
}
