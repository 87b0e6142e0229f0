// The log of the process: JSON lines on standard output. What is logged of a call is named field by field,
// so that no header, body, token or secret can get in.

import { destination, type Logger, pino } from 'pino';

export type Log = Logger;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Of an error what tells a fault: PostgreSQL's further fields may quote a whole row. */
function shownError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return { type: name, message, code, stack, ...(cause !== undefined && { cause: shownError(cause) }) };
}

/** How every line is written. */
export const logForm = { base: null, serializers: { err: shownError } } as const;

/** Lines are gathered up to this size, in bytes, and written at least this often, in ms. */
const gatheredBytes = 8_192;
const flushEveryMs = 500;

export interface OpenLog {
  readonly log: Log;
  /** Writes what was gathered; to be called before the process ends. */
  flush(): void;
}

/** Logs to the file descriptor `fd` (1: standard output). */
export function openLog(options: { level: LogLevel; fd: number }): OpenLog {
  const lines = destination({
    dest: options.fd,
    sync: false,
    minLength: gatheredBytes,
    periodicFlush: flushEveryMs,
  });
  const log = pino({ level: options.level, ...logForm }, lines);
  return { log, flush: () => lines.flushSync() };
}
