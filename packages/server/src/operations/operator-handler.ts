// The shape of a handler of the operator API, which also serves the developer API. It receives values that the contract allows
// and returns the response as a value; of HTTP it knows only the status.

import type { ActionDetail } from '@opentill/contract/actions.ts';
import type { OperatorOperation, Role } from '@opentill/contract/operator-api/operator-operation.ts';
import type { ConsoleRole } from '@opentill/contract/sessions.ts';
import type { Static, TSchema } from 'typebox';
import type { NewAction } from '../store/audit/actions.ts';
import type { Queryable } from '../store/connection/database.ts';
import type { CallAuthor } from '../store/events/events.ts';
import type { Refusal } from './refusal.ts';

type Values = Readonly<Record<string, unknown>>;

/** The caller that a session identifies. */
export interface SessionIdentity {
  readonly madeBy: string;
  readonly role: ConsoleRole;
  readonly createdAt: number;
  readonly endsAt: number;
}

/**
 * Writes the action of a call in the transaction of its change. Call it once, and last in the transaction, because it
 * locks the counter row. A call that changes nothing has no action.
 */
export type RecordAction = (
  transaction: Queryable,
  packageName: string,
  detail?: ActionDetail | undefined,
  /** Replaces the id in the path, or the author of a call whose body identifies it. */
  replacing?: Partial<Pick<NewAction, 'subject' | 'madeBy'>>,
) => Promise<void>;

/** A call whose path, query and body have been checked against the contract. */
export interface OperatorCall {
  /** For the developer API, `packageName` is that of the access token. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Values;
  /** `{}` when the operation takes no body, or an optional one was not sent. */
  readonly body: Values;
  /** The app's time, ms; real time for a call that does not concern an app. */
  readonly now: number;
  /** Real time, ms: for tokens, secrets and changes of an app itself. */
  readonly realNow: number;
  readonly author: CallAuthor;
  /** The operator's role; undefined for a call with an app's own token. */
  readonly role?: Role | undefined;
  /** The client secret of a developer whose call needs it; `refuseOldSecret` compares it in the transaction of the change. */
  readonly clientSecret?: string | undefined;
  /** The session that authorizes the call, instead of a key. */
  readonly session?: SessionIdentity | undefined;
  /** Every operation except a GET calls it in the transaction of its change; recordPurchase stores its author itself. */
  readonly recordAction: RecordAction;
  /** Aborted when the client disconnects; set for operations that wait. */
  readonly signal?: AbortSignal;
}

export interface OperatorSuccess {
  readonly status: 200 | 201 | 204;
  readonly body?: unknown;
  /** A session that begins for the caller, or the end of the caller's own. */
  readonly session?: { readonly secret: string; readonly endsAt: number } | 'ended';
}

export type OperatorResponse = OperatorSuccess | Refusal;

/** What a file says above its entries. */
export interface FileNote {
  readonly note: string;
}

/**
 * Pages with all entries of a list, each read when it is asked for, after a note where there is one; a call that is rejected
 * has only the refusal.
 */
export type EntryPages = AsyncGenerator<readonly object[] | FileNote | Refusal, void, undefined>;

/** Entries that one statement reads for a file: about as many as are read in the time of some calls. */
export const entriesPerStatement = 1_000;

export interface OperatorHandler {
  readonly operation: OperatorOperation;
  handle(call: OperatorCall): Promise<OperatorResponse>;
  /** Only for an operation `asCsv`; the page size of the call has no effect. */
  readEntries?(call: OperatorCall): EntryPages;
}

type ValueOf<Schema, Otherwise> = Schema extends TSchema ? Static<Schema> : Otherwise;
type QueryOf<Operation> = Operation extends { query: infer Query } ? ValueOf<Query, Values> : Values;
type BodyOf<Operation> = Operation extends { body: infer Body } ? ValueOf<Body, Values> : Values;

/** The same call with the static types of one operation. */
export interface CallOf<Operation extends OperatorOperation>
  extends Pick<
    OperatorCall,
    'now' | 'realNow' | 'author' | 'role' | 'clientSecret' | 'session' | 'recordAction' | 'signal'
  > {
  readonly path: { readonly [Name in keyof Operation['pathParameters']]: string };
  readonly query: QueryOf<Operation>;
  readonly body: BodyOf<Operation>;
}

type Success<Status, Schema> = Pick<OperatorSuccess, 'session'> &
  (Status extends 204
    ? { readonly status: 204 }
    : { readonly status: Status; readonly body: ValueOf<Schema, unknown> });

/** The responses that one operation lists. */
export type ResponseOf<Operation extends OperatorOperation> =
  | {
      [Status in keyof Operation['responses']]: Success<Status, Operation['responses'][Status]>;
    }[keyof Operation['responses']]
  /** Any operation may ask its caller to retry later. */
  | Refusal<Operation['errors'][number] | 'unavailable' | 'tooManyRequests'>
  | (Operation extends { readonly signsIn: true } ? Refusal<'unauthorized'> : never);

/** A success with a body; a function keeps the literal type of the status. */
export function responded<Status extends 200 | 201, Body>(
  status: Status,
  body: Body,
): { readonly status: Status; readonly body: Body } {
  return { status, body };
}

/** Gives a handler the types of its operation, and the listener one type for all handlers. */
export function operatorHandler<const Operation extends OperatorOperation>(
  operation: Operation,
  handle: (call: CallOf<Operation>) => Promise<ResponseOf<Operation>>,
): OperatorHandler {
  // The listener checks each call against `operation`, so the call has these types.
  return {
    operation,
    handle: (call) => handle(call as CallOf<Operation>) as Promise<OperatorResponse>,
  };
}
