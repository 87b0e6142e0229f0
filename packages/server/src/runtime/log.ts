// The log of the process: JSON lines on standard output. What is logged of a call is named field by field,
// so that no header, body, token or secret can get in.

import { destination, type Logger, pino } from 'pino';

export type Log = Logger;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

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
  const log = pino({ level: options.level, base: null }, lines);
  return { log, flush: () => lines.flushSync() };
}
