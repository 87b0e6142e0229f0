// The log of the process on standard output, and how the process ends: with a reason, after the requests in flight, or at
// once.

import { isatty } from 'node:tty';
import closeWithGrace from 'close-with-grace';
import type { Config } from '../config/config.ts';
import { logAlert } from '../runtime/alert-lines.ts';
import { type LogLevel, type OpenLog, openLog } from '../runtime/log.ts';
import type { StartProblem } from '../runtime/start-problem.ts';

/** A stop waits this long for requests in flight, each of which gets a response within 3 seconds. */
export const stopWithinMs = 10_000;

/** How long a server that another one replaces serves after SIGTERM; packaging/proxy/haproxy.cfg notices within 3 seconds. */
export const drainMs = 5_000;

/** Without a proxy, or on a database of its own, no other server takes the calls, and a drain would only delay the end. */
export function isReplaceable({
  environment,
  trustedProxies,
  databaseUrl,
}: Pick<Config, 'environment' | 'trustedProxies' | 'databaseUrl'>): boolean {
  return environment === 'production' && trustedProxies !== undefined && databaseUrl !== undefined;
}

const stdin = 0;

/** Whether a person started the process, so that SIGHUP means that the terminal was closed. */
export const isOnTerminal = (): boolean => isatty(stdin);

function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Kills the process if a write of the log is blocked, because that write would keep it from exiting. */
export async function endLog({ close }: Pick<OpenLog, 'close'>): Promise<void> {
  if (!(await close())) endAtOnce();
}

/** Prints the problem; the process exits with 1 when it ends. */
export function refuse({ message }: StartProblem): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

interface Stopping extends Pick<OpenLog, 'log' | 'close'> {
  /** Signals that do not stop the process. */
  readonly skips: readonly 'SIGHUP'[];
  /** Precedes the stop on SIGTERM. */
  readonly drain: (() => Promise<void>) | undefined;
}

/**
 * Shuts down on Ctrl-C, a signal from the system or an uncaught error, after the responses to requests in flight. Returns a
 * function that does the same.
 */
export function stopOnSignal(
  running: AsyncDisposableStack,
  { log, close, skips, drain }: Stopping,
): () => void {
  let stopping: Promise<void> | undefined;
  const stop = async (signal: string | undefined): Promise<void> => {
    try {
      if (signal === 'SIGTERM') await drain?.();
    } finally {
      await running.disposeAsync();
    }
  };
  const kill = { onSecondSignal: endAtOnce, onSecondError: endAtOnce, onTimeout: endAtOnce };
  const delay = drain === undefined ? stopWithinMs : drainMs + stopWithinMs;
  const options = { delay, logger: false as const, skip: [...skips], ...kill };
  const grace = closeWithGrace(options, async ({ err, signal }) => {
    if (err !== undefined) logAlert(log, 'uncaughtError', { err });
    // Disposing of a stack twice does not wait for the first disposal.
    stopping ??= stop(signal).finally(() => endLog({ close }));
    await stopping;
    // Otherwise the exit code would be 0 after a problem.
    if (process.exitCode !== undefined) process.exit();
  });
  return () => void grace.close();
}

const stdout = 1;

interface ProgramLog extends OpenLog {
  /** Whether printed text may have colors. */
  readonly hasColors: boolean;
}

export function openProgramLog(level: LogLevel): ProgramLog {
  const isTerminal = isatty(stdout);
  // process.stdout is not touched otherwise: it would make a pipe non-blocking.
  const hasColors = isTerminal && process.stdout.hasColors();
  const format = isTerminal ? 'pretty' : 'json';
  return { ...openLog({ level, format, hasColors, fd: stdout }), hasColors };
}
