// The process: a command line in, an exit code out, and every failure as one clear line.

import { CommanderError } from 'commander';
import { exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { Interrupted, type Surroundings } from './surroundings.ts';

/** What a program of this process is given. */
type OwnProcess = Pick<
  NodeJS.Process,
  'argv' | 'env' | 'stdin' | 'stdout' | 'stderr' | 'on' | 'once' | 'exit' | 'off'
> & { exitCode?: number | string | null | undefined };

/** Commands that end on signals in their own way. */
const ownSignals = new Set(['serve']);

export async function main(own: OwnProcess): Promise<void> {
  const ending = new AbortController();
  for (const stream of [own.stdout, own.stderr]) stream.on('error', (error) => endUnwritten(own, error));
  const args = own.argv.slice(2);
  if (!ownSignals.has(args[0] ?? '')) endOnSignals(own, ending);
  const surroundings: Surroundings = {
    env: own.env,
    stdin: own.stdin,
    stdout: own.stdout,
    stderr: own.stderr,
    signal: ending.signal,
    setExitCode(code) {
      own.exitCode = code;
    },
  };
  try {
    await createProgram(surroundings).parseAsync(args, { from: 'user' });
  } catch (error) {
    own.exitCode = exitCodeOf(error, ending.signal, surroundings);
  }
}

/** What a command has to say cannot be written: it ends at once. */
function endUnwritten(own: OwnProcess, { code, message }: NodeJS.ErrnoException): void {
  // Whoever reads went away: nobody is left to tell.
  if (code === 'EPIPE') own.exit(exitCodes.brokenPipe);
  own.stderr.write(`The output cannot be written: ${message}.\n`, () => own.exit(exitCodes.failed));
}

/** The first signal lets a command end what it has begun, the second ends the process. */
function endOnSignals(own: OwnProcess, ending: AbortController): void {
  const codes = { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated } as const;
  for (const [name, code] of Object.entries(codes)) {
    own.on(name, () => {
      if (ending.signal.aborted) own.exit(code);
      ending.abort(new Interrupted(code));
    });
  }
}

/** Tells what went wrong, unless that was told, and gives the exit code for it. */
function exitCodeOf(error: unknown, signal: AbortSignal, { stderr }: Surroundings): number {
  // Whatever a command fails with when it is ended from outside, that is why.
  if (signal.reason instanceof Interrupted) return signal.reason.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const { line, code } = told(error);
  stderr.write(`${line}\n`);
  return code;
}

/** By their names: their classes are loaded with the commands that need them. */
function told(error: unknown): { readonly line: string; readonly code: number } {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  switch (name) {
    case 'UsageProblem':
      return { line: message, code: exitCodes.usage };
    case 'StartProblem':
      return { line: message, code: exitCodes.failed };
    case 'DatabaseUnavailable':
      return { line: `The database does not answer: ${message}.`, code: exitCodes.failed };
    case 'OpenTillError':
      return { line: refusalLine(error as RefusedCall), code: exitCodes.failed };
    default:
      return { line: stack ?? message, code: exitCodes.failed };
  }
}

/** Operations that change nothing, by the first word of their ids: a lost answer leaves nothing in doubt. */
const reading = /^(?:get|list|search)[A-Z]/;

/** An OpenTillError, as far as it is told. */
interface RefusedCall extends Error {
  readonly operation: string;
  readonly httpStatus?: number | undefined;
  readonly requestId?: string | undefined;
  readonly isOutcomeUnknown: boolean;
  readonly problem?: {
    readonly detail?: string;
    readonly errors?: readonly { path: string; message: string }[];
  };
}

function refusalLine(error: RefusedCall): string {
  const { operation, message, httpStatus, requestId, problem } = error;
  const request = requestId === undefined ? '' : ` (request ${requestId})`;
  const isInDoubt = error.isOutcomeUnknown && !reading.test(operation);
  const unknown = isInDoubt ? ' It may have been done all the same: look before you repeat it.' : '';
  if (httpStatus === undefined) return `${message}: is a server running there?${unknown}`;
  return `${problem?.detail ?? message}${request}${unknown}`;
}
