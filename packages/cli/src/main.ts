// Runs a command line and sets the exit code; every failure is printed as one line.

import { nodeTlsAdvice } from '@opentill/server/for-command-line.ts';
import { CommanderError } from 'commander';
import { type CommandContext, Interrupted } from './command-context.ts';
import { exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';

/** The parts of `process` that the program uses. */
type OwnProcess = Pick<
  NodeJS.Process,
  'argv' | 'env' | 'stdin' | 'stdout' | 'stderr' | 'on' | 'once' | 'exit' | 'off'
> & { exitCode?: number | string | null | undefined };

/** Commands that handle signals themselves. */
const ownSignals = new Set(['serve', 'exec']);

export async function main(own: OwnProcess): Promise<void> {
  const ending = new AbortController();
  for (const stream of [own.stdout, own.stderr]) stream.on('error', (error) => endUnwritten(own, error));
  const args = own.argv.slice(2);
  const context: CommandContext = {
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
    const program = await createProgram(context, args);
    program.hook('preSubcommand', async (_, command) => {
      if (!ownSignals.has(command.name())) endOnSignals(own, ending);
      const { envFile } = program.opts<{ envFile?: string }>();
      if (envFile !== undefined) await useEnvFile(own.env, envFile);
    });
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    own.exitCode = exitCodeOf(error, ending.signal, context);
  }
}

/** Sets the variables of the file for the command, for the driver of the database and for the programs that it starts. */
async function useEnvFile(env: NodeJS.ProcessEnv, path: string): Promise<void> {
  const { readEnvFile } = await import('./env-file.ts');
  Object.assign(env, await readEnvFile(path, env));
  // Node.js has read its variable already.
  const { trustAuthorityOf } = await import('./server-call.ts');
  await trustAuthorityOf('NODE_EXTRA_CA_CERTS', env);
}

/** Ends the process when its output cannot be written. */
function endUnwritten(own: OwnProcess, { code, message }: NodeJS.ErrnoException): void {
  // The reader has exited.
  if (code === 'EPIPE') own.exit(exitCodes.brokenPipe);
  own.stderr.write(`Cannot write the output: ${message}.\n`, () => own.exit(exitCodes.failed));
}

/** The first signal aborts the command cleanly, the second ends the process. */
function endOnSignals(own: OwnProcess, ending: AbortController): void {
  const codes = { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated } as const;
  for (const [name, code] of Object.entries(codes)) {
    own.on(name, () => {
      if (ending.signal.aborted) own.exit(code);
      ending.abort(new Interrupted(code));
    });
  }
}

/** Prints the error, unless that was done already, and returns the exit code. */
function exitCodeOf(error: unknown, signal: AbortSignal, { stderr }: CommandContext): number {
  // An interrupted command may fail with any error.
  if (signal.reason instanceof Interrupted) return signal.reason.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const { line, code } = describe(error);
  stderr.write(`${line}\n`);
  return code;
}

/** Recognizes errors by name, because their classes are loaded with the commands that use them. */
function describe(error: unknown): { readonly line: string; readonly code: number } {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  switch (name) {
    case 'UsageProblem':
      return { line: message, code: exitCodes.usage };
    case 'StartProblem':
      return { line: message, code: exitCodes.failed };
    case 'DatabaseUnavailable':
      return { line: `The database does not respond: ${message}.`, code: exitCodes.failed };
    case 'OpenTillError':
      return { line: refusalLine(error as RefusedCall), code: exitCodes.failed };
    default:
      return { line: stack ?? message, code: exitCodes.failed };
  }
}

/** Operations that change nothing, so that a lost response does not matter. */
export const reading = /^(?:get|list|search)/;

/** The printed parts of an OpenTillError. */
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
  const unknown = isInDoubt ? ' The request may have succeeded: check before you retry it.' : '';
  if (httpStatus === undefined) {
    const isConnectionRefused = message.includes('ECONNREFUSED');
    const advised = message.replace(nodeTlsAdvice, ': trust its authority with --ca or OPENTILL_CA');
    return `${advised}${isConnectionRefused ? ': is a server running there?' : '.'}${unknown}`;
  }
  return `${problem?.detail ?? message}${request}${unknown}`;
}
