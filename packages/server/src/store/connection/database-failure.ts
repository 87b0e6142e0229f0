// Distinguishes a temporarily unavailable database (down, frozen, overloaded, locked for too long) from a bug.

import { DatabaseError } from 'pg';

/** The database did not respond in time or at all. Whether a write took place is unknown. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** A limit of this server for waiting calls was reached: nothing was started. */
export class Overloaded extends DatabaseUnavailable {}

/** A lock could not be acquired in time: nothing was written. */
export class LockNotAvailable extends DatabaseUnavailable {}

const lockCodes = new Set(['55P03', '40P01']);

// 08 connection, 53 resources, 57 operator intervention (shutdown, statement time-out), 58 system error of
// the machine; 25006 is a standby that rejects writes during a failover. The others reject a
// connection: 28 its credentials, 3D000 and 55000 a database that does not exist or accepts none now.
const unavailableCode = /^(?:08|28|53|57|58)|^(?:25006|3D000|55000)$/;

const connectionFailures = [
  /^timeout exceeded when trying to connect/,
  /^timeout expired/,
  /^Connection terminated/,
  /^Query read timeout/,
  /^Client has encountered a connection error/,
  /^Client was closed and is not queryable/,
  /^Cannot use a pool after calling end on the pool/,
];

/** Citus reports a node that was lost within a transaction as an internal error. */
const nodeFailures = [
  /^failure on connection marked as essential/,
  /^could not commit transaction for shard \d+ on at least one active node/,
  /^connection (?:lost|not open)/,
  /^server closed the connection unexpectedly/,
  /^SSL (?:SYSCALL )?error/,
  /^could not (?:receive data from|send data to) server/,
];

/** Whether a node of a cluster was lost, or a shard has just moved from it. */
function isNodeFailure({ code, message, hint }: DatabaseError): boolean {
  const isKnown = hint === 'Retry the query.' || nodeFailures.some((pattern) => pattern.test(message));
  return code === 'XX000' && isKnown;
}

/** Returns a DatabaseUnavailable for the failures of an unavailable database, and other errors unchanged. */
export function databaseFailure(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    if (lockCodes.has(code)) return new LockNotAvailable(error.message, { cause: error });
    if (unavailableCode.test(code) || isNodeFailure(error))
      return new DatabaseUnavailable(error.message, { cause: error });
    return error;
  }
  if (!(error instanceof Error)) return error;
  // None of the addresses of a name responded: collect the error of each.
  if (error instanceof AggregateError) {
    const messages = error.errors.map((each) => (each instanceof Error ? each.message : String(each)));
    return new DatabaseUnavailable(messages.join(', '), { cause: error });
  }
  if ('syscall' in error || connectionFailures.some((pattern) => pattern.test(error.message))) {
    return new DatabaseUnavailable(error.message, { cause: error });
  }
  return error;
}

/** Whether PostgreSQL reports that it has no connection to another node of its cluster; the one to itself still works. */
export function isOfOtherNode(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code ?? '').startsWith('08');
}

/** Whether the database account lacks a permission. */
export function isForbidden(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '42501';
}

/** The rules of a table in words. Citus reports a rejected row of a COPY as an internal error. */
const dataProblems: readonly (readonly [RegExp, string])[] = [
  [/^duplicate key value violates unique constraint/, 'another row has one of its unique values'],
  [/^new row for relation .* violates check constraint/, 'its fields contradict each other'],
  [/^null value in column .* violates not-null constraint/, 'a required field is missing'],
];

/** Whether a row breaks a rule of its table: SQLSTATE class 22 for a value, 23 for a constraint. */
export function isDataProblem(error: unknown): error is DatabaseError {
  if (!(error instanceof DatabaseError)) return false;
  const { code = '', message } = error;
  return /^2[23]/.test(code) || (code === 'XX000' && dataProblems.some(([pattern]) => pattern.test(message)));
}

/** Describes a broken rule without the name of its constraint; PostgreSQL's own words for a value that does not fit. */
export function dataProblemOf({ message }: DatabaseError): string {
  return dataProblems.find(([pattern]) => pattern.test(message))?.[1] ?? message;
}

/**
 * Whether a write failed because this unique index has a row with the same key. On a cluster the index is that of a shard,
 * with its number after the name, and only the message of another node's error names it.
 */
export function isUniqueViolation(error: unknown, index: string): boolean {
  if (!(error instanceof DatabaseError) || error.code !== '23505') return false;
  return new RegExp(`\\b${index}(?:_\\d+)?\\b`).test(error.constraint ?? error.message);
}

/** Reads for a metric, which is absent while the database is unavailable. */
export function unlessUnavailable<Value>(read: () => Promise<Value>): () => Promise<Value | undefined> {
  return async () => {
    try {
      return await read();
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return undefined;
      throw error;
    }
  };
}
