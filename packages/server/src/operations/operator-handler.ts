// The shape of a handler of the operator API or the sandbox API. It gets values that the contract allows
// and gives an answer as a value; it knows nothing of HTTP but the status.

import type { ErrorName, ProblemEntry } from '@opentill/contract/errors.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { type SandboxOperation, sandboxApi } from '@opentill/contract/sandbox-api.ts';
import type { Static, TSchema } from 'typebox';
import type { Author } from '../store/events/events.ts';

type Values = Readonly<Record<string, unknown>>;

/** A call as the listener hands it over: path, query and body have been checked against the contract. */
export interface OperatorCall {
  /** For the sandbox API, `packageName` is that of the access token. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Values;
  /** `{}` when the operation takes no body, or an optional one was not sent. */
  readonly body: Values;
  /** The app's instant, ms; real time for a call that is about no app. */
  readonly now: number;
  /** Real time, ms: for tokens, secrets, and what is done to an app itself. */
  readonly realNow: number;
  readonly author: Author;
  /** Of an operation that waits: the caller has left. */
  readonly signal?: AbortSignal;
}

export interface ProblemAnswer<Name extends ErrorName = ErrorName> {
  readonly problem: Name;
  /** Public: what was expected, and what came. */
  readonly detail: string;
  readonly errors?: readonly ProblemEntry[];
}

export type OperatorAnswer = { readonly status: 200 | 201 | 204; readonly body?: unknown } | ProblemAnswer;

export interface OperatorHandler {
  readonly operation: OperatorOperation;
  handle(call: OperatorCall): Promise<OperatorAnswer>;
}

export interface SandboxHandler {
  readonly operation: SandboxOperation;
  handle(call: OperatorCall): Promise<OperatorAnswer>;
}

type ValueOf<Schema, Otherwise> = Schema extends TSchema ? Static<Schema> : Otherwise;
type QueryOf<Operation> = Operation extends { query: infer Query } ? ValueOf<Query, Values> : Values;
type BodyOf<Operation> = Operation extends { body: infer Body } ? ValueOf<Body, Values> : Values;

/** The same call with the static types of one contract. */
export interface CallOf<Operation extends OperatorOperation>
  extends Pick<OperatorCall, 'now' | 'realNow' | 'author' | 'signal'> {
  readonly path: { readonly [Name in keyof Operation['pathParameters']]: string };
  readonly query: QueryOf<Operation>;
  readonly body: BodyOf<Operation>;
}

type Success<Status, Schema> = Status extends 204
  ? { readonly status: 204 }
  : { readonly status: Status; readonly body: ValueOf<Schema, unknown> };

/** The answers that one contract lists. */
export type AnswerOf<Operation extends OperatorOperation> =
  | {
      [Status in keyof Operation['responses']]: Success<Status, Operation['responses'][Status]>;
    }[keyof Operation['responses']]
  /** Any operation may have to put its caller off. */
  | ProblemAnswer<Operation['errors'][number] | 'unavailable' | 'tooManyRequests'>;

/** A success with a body; as a function it keeps the literal type of the status. */
export function answered<Status extends 200 | 201, Body>(
  status: Status,
  body: Body,
): { readonly status: Status; readonly body: Body } {
  return { status, body };
}

/** A handler that sees its contract's types, in the shape in which the listener treats all alike. */
export function operatorHandler<const Operation extends OperatorOperation>(
  operation: Operation,
  handle: (call: CallOf<Operation>) => Promise<AnswerOf<Operation>>,
): OperatorHandler {
  // The listener checks each call against `operation`: that is what makes it a call of these types.
  return {
    operation,
    handle: (call) => handle(call as CallOf<Operation>) as Promise<OperatorAnswer>,
  };
}

/** The handlers of the sandbox API: those of the operator API whose operations the contract exposes there. */
export function sandboxHandlers(handlers: readonly OperatorHandler[]): SandboxHandler[] {
  const exposed: Readonly<Record<string, SandboxOperation>> = sandboxApi;
  return handlers.flatMap(({ operation: { operationId }, handle }) => {
    const operation = exposed[operationId];
    return operation === undefined ? [] : [{ operation, handle }];
  });
}
