// Collects the output of a process.

import type { ChildProcess } from 'node:child_process';
import { noteOutput } from './failure-notes.ts';

export interface ProcessOutput {
  stdout: string;
  stderr: string;
}

/** Grows while the process writes; stays empty for a stream that is not a pipe. */
export function outputOf({ stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>): ProcessOutput {
  const output = { stdout: '', stderr: '' };
  noteOutput(() => output.stdout + output.stderr);
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  return output;
}
