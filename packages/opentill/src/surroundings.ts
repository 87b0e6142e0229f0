// What a command has of the process that it runs in.

import type { Readable, Writable } from 'node:stream';

/** A stream that may be a terminal. */
export type Terminal = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Results, and nothing else. */
  readonly stdout: Terminal;
  /** What a person is told beside them. */
  readonly stderr: Terminal;
  /** Given by Ctrl-C: whatever waits ends with its reason, an Interrupted. */
  readonly signal: AbortSignal;
  setExitCode(code: number): void;
}

/** A command line that cannot be meant: one clear line, and the exit code of usage. */
export class UsageProblem extends Error {
  override readonly name = 'UsageProblem';
}

/** Somebody ended the command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('Interrupted.');
    this.exitCode = exitCode;
  }
}
