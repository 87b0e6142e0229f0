// The environment of a command: variables, streams and signals.

import type { Readable, Writable } from 'node:stream';

/** A stream that may be a terminal. */
export type Terminal = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Results only. */
  readonly stdout: Terminal;
  /** Notes, progress and errors. */
  readonly stderr: Terminal;
  /** Aborted by Ctrl-C with an Interrupted as its reason. */
  readonly signal: AbortSignal;
  setExitCode(code: number): void;
}

/** An invalid command line: one line, and the exit code for usage errors. */
export class UsageProblem extends Error {
  override readonly name = 'UsageProblem';
}

/** The command was interrupted by a signal. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('Interrupted.');
    this.exitCode = exitCode;
  }
}
