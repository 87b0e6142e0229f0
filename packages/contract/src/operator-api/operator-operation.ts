// The declaration of an operation of the operator API.

import type { TObject, TSchema } from 'typebox';
import type { ErrorName } from '../errors.ts';

/** The role of an operator key: `record` is for the checkout, `read` reads, `support` also corrects purchases, `admin` may do everything. */
export type Role = 'record' | 'read' | 'support' | 'admin';

export interface OperatorOperation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with `:name` for each path parameter. */
  readonly path: string;
  readonly summary: string;
  /** Details that do not fit in the summary. */
  readonly description?: string;
  readonly roles: readonly Role[];
  /** The call needs neither a key nor a session, because its body identifies the caller. */
  readonly signsIn?: true;
  /** A session of the console may not call it: what it makes would outlive the session. */
  readonly keyOnly?: true;
  /** The path does not exist in production. */
  readonly sandboxOnly?: true;
  /** The developer API (developer-api.ts) has it too: in both environments, or in the sandbox alone. */
  readonly inDeveloperApi?: 'both' | 'sandbox';
  /** In production, a developer needs the newest client secret as well: a leaked token alone must not lock the owner of the app out. */
  readonly needsClientSecret?: true;
  /** The call may read all apps: on a cluster it needs every node, and gets 503 while one is away. */
  readonly acrossApps?: true;
  /** The response is also available as a CSV file with all entries (docs/decisions/console.md, "Files"). */
  readonly asCsv?: true;
  /** The entries of the file, where the response does not list them; all of it is for developers as well. */
  readonly csvEntries?: TSchema;
  /** The call may take minutes and needs a longer timeout. */
  readonly isLongRunning?: true;
  /** The response may be delayed up to the wait in the query. */
  readonly isLongPoll?: true;
  /** A path parameter that violates its schema gets notFound. */
  readonly pathParameters: Readonly<Record<string, TSchema>>;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** A call without a body is treated as one with `{}`. */
  readonly bodyOptional?: true;
  /** The schema of each successful response by status; Type.Null() for 204. */
  readonly responses: Readonly<Record<number, TSchema>>;
  /** Errors of this operation in addition to `protocolProblems` and `commonProblems`. */
  readonly errors: readonly ErrorName[];
}
