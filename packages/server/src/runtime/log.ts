// The log of the process: JSON lines on standard output. What is logged of a call is named field by field,
// so that no header, body, token or secret can get in.

import { type Logger, pino, symbols } from 'pino';
import { gatheredLines } from './gathered-lines.ts';
import { openLogFile } from './log-file.ts';

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

export interface OpenLog {
  readonly log: Log;
  /** Writes a text for people, after every line that was logged before it. */
  print(text: string): void;
  /** Writes what was gathered, to be awaited before the process ends. False: it is still being written. */
  flush(): Promise<boolean>;
}

/** Logs to the file descriptor `fd` (1: standard output). */
export function openLog(options: { level: LogLevel; fd: number }): OpenLog {
  const file = openLogFile(options.fd);
  const lines = gatheredLines((text) => file.write(text));
  const log = pino({ level: options.level, ...logForm }, lines);
  return {
    log,
    print(text) {
      lines.flush();
      file.write(text);
    },
    flush() {
      lines.flush();
      return file.flush();
    },
  };
}

/** What is logged of an answered call. */
interface CallLine {
  readonly requestId: string;
  readonly operationId: string;
  /** The package name of the app concerned. */
  readonly app: string | null;
  /** `success` or the error code. */
  readonly outcome: string;
  readonly status: number;
  readonly ms: number;
}

/**
 * Logs a line of each call, as `log.info` would: its fields are always the same, and none but the app can hold
 * what JSON writes otherwise, so that the line is put together in half the time.
 */
export function callLogger(log: Log, now: () => number): (line: CallLine) => void {
  const start = `{"level":${pino.levels.values['info']},"time":`;
  const lines = (log as unknown as { [symbols.streamSym]: { write(line: string): void } })[symbols.streamSym];
  return ({ requestId, operationId, app, outcome, status, ms }) => {
    if (!log.isLevelEnabled('info')) return;
    const call = `"requestId":"${requestId}","operationId":"${operationId}","app":${JSON.stringify(app)}`;
    lines.write(`${start}${now()},${call},"outcome":"${outcome}","status":${status},"ms":${ms}}\n`);
  };
}
