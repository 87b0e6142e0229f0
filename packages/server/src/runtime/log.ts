// The log of the process on standard output: JSON lines, or short lines for a person at a terminal.

import { writeSync } from 'node:fs';
import fastJsonStringify from 'fast-json-stringify';
import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { systemClock } from './clock.ts';

export type Log = Logger;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/**
 * JSON lines of calls are gathered into blocks of at least this size. The destination gets a whole block, because it copies
 * what it holds for each further line: a line takes 2.7 us of processor time, written one by one 4.1, and by pino 5.4
 * (2026-11-29, alternating rounds). Longer blocks keep more strings alive for the garbage collector: with 64 KiB a read
 * takes 21% more CPU time than with 4 KiB, and the server 30 MiB more memory (2026-11-23, median of four alternating
 * rounds). `npm run bench:reads` repeats both.
 */
const blockBytesMin = 4_096;

/**
 * The largest single write, in bytes; it has to exceed a block. While a write is in progress, each line copies the text
 * that is gathered for the next: with 1 MiB, 1,700 failed calls at once allocated 890 MB, with 16 KiB 33 MB (2026-11-26).
 */
const writeBytesMax = 16_384;

/** Gathered lines are written at least this often, in ms. */
const flushEveryMs = 500;

/** Lines are dropped while more than this is waiting to be written, in bytes. */
const waitingBytesMax = 4_194_304;

/** The final flush waits at most this long, in ms. */
const flushWithinMs = 2_000;

const stderr = 2;

/** Logs a few fields of an error only: PostgreSQL's other fields may quote a whole row. */
function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return { type: name, message, code, stack, ...(cause !== undefined && { cause: loggedError(cause) }) };
}

/** The pino options of every line. */
export const logOptions = { base: null, serializers: { err: loggedError } } as const;

export interface OpenLog {
  readonly log: Log;
  readonly logCall: LogCall;
  /** Writes text for a person, after every line logged before it. */
  print(text: string): void;
  /** Writes all buffered lines; nothing can be logged afterwards. False: a write is still blocked. */
  close(): Promise<boolean>;
}

interface LogTarget {
  readonly level: LogLevel;
  readonly format: 'json' | 'pretty';
  /** Whether pretty lines have colors. */
  readonly hasColors: boolean;
  /** The file descriptor, such as 1 for standard output. */
  readonly fd: number;
}

/** The server keeps running if the log cannot be written; the reason goes to standard error. */
export function openLog({ level, format, hasColors, fd }: LogTarget): OpenLog {
  const file = pino.destination({
    dest: fd,
    sync: false,
    // Every line is written at once; flush() does nothing with a minimum of 0.
    minLength: 1,
    maxWrite: writeBytesMax,
    maxLength: waitingBytesMax,
  });
  let isBroken = false;
  file.on('error', (error: NodeJS.ErrnoException) => {
    if (!isBroken) report(`Cannot write the log (${error.code}). The server continues without it.`);
    isBroken = true;
  });
  file.on('write', () => {
    isBroken = false;
  });
  const gathered = new GatheredLines(file);
  const pretty = format === 'pretty' ? prettyLines(file, { hasColors }) : undefined;
  const log = pino({ level, ...logOptions }, pretty ?? gathered);
  const ofCalls = pretty ?? { write: (line: string) => gathered.gather(line) };
  return {
    log,
    logCall: callLines(log, ofCalls),
    print: (text) => gathered.write(text),
    close() {
      log.level = 'silent';
      gathered.close();
      const flushed = new Promise<boolean>((resolve) => {
        const timer = setTimeout(resolve, flushWithinMs, false);
        file.flush(() => {
          clearTimeout(timer);
          resolve(true);
        });
      });
      // Otherwise the destination would retry a failed write forever when the process exits.
      return flushed.finally(() => file.destroy());
    },
  };
}

/** The fields are named one by one, so that no header, body, token or secret can get in. */
interface CallLine {
  readonly requestId: string;
  readonly operationId: string;
  readonly app: string | null;
  readonly by: string | undefined;
  readonly address: string;
  readonly outcome: string;
  readonly status: number;
  readonly ms: number;
}

export type LogCall = (level: 'debug' | 'info', call: CallLine) => void;

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;

const serialize = fastJsonStringify({
  type: 'object',
  properties: {
    level: integer,
    time: integer,
    requestId: text,
    operationId: text,
    app: { ...text, nullable: true },
    by: text,
    address: text,
    outcome: text,
    status: integer,
    ms: { type: 'number' },
  },
});

/**
 * Writes lines about calls in the form of `log`, as far as its level includes them. There are far more of them than others: pino
 * walks over the fields of each line, so these have a serializer compiled for their fields.
 */
export function callLines(log: Logger, target: { write(line: string): unknown }): LogCall {
  return (level, call) => {
    if (!log.isLevelEnabled(level)) return;
    const line = { level: log.levels.values[level], time: systemClock.now(), ...call };
    target.write(`${serialize(line)}\n`);
  };
}

/** Writes each line at once, after those that were gathered before it. */
class GatheredLines {
  readonly #file: { write(text: string): unknown };
  readonly #timer = setInterval(() => this.#writeGathered(), flushEveryMs).unref();
  #text = '';

  constructor(file: { write(text: string): unknown }) {
    this.#file = file;
  }

  write(line: string): void {
    this.#writeGathered();
    this.#file.write(line);
  }

  gather(line: string): void {
    this.#text += line;
    if (this.#text.length >= blockBytesMin) this.#writeGathered();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#writeGathered();
  }

  #writeGathered(): void {
    if (this.#text === '') return;
    this.#file.write(this.#text);
    this.#text = '';
  }
}

function report(line: string): void {
  try {
    writeSync(stderr, `${line}\n`);
  } catch {
    // Standard error is gone as well.
  }
}

/**
 * Formats each line for `target`. Names from a request, which may contain characters that a terminal would act on, stay in
 * the JSON after the message.
 */
export function prettyLines(
  target: { write(text: string): unknown },
  { hasColors }: { readonly hasColors: boolean },
): { write(line: string): void } {
  const format = prettyFactory({
    colorize: hasColors,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'operationId,outcome,status,ms,by,address,requestId,migrations',
    messageFormat:
      '{if msg}{msg} {end}{if operationId}{operationId} {end}{if status}{status} {outcome} {ms} ms{end}',
  });
  return { write: (line) => void target.write(format(line)) };
}
