// The log of the program on standard output, as the settings say.

import { isatty } from 'node:tty';
import type { Config } from '../config/config.ts';
import { type OpenLog, openLog } from '../runtime/log.ts';

const stdout = 1;

interface ProgramLog extends OpenLog {
  /** Whether printed text may have colors. */
  readonly hasColors: boolean;
}

export function openProgramLog({ logLevel: level, logFormat }: Config): ProgramLog {
  const isTerminal = isatty(stdout);
  // process.stdout is not touched otherwise: it would make a pipe non-blocking.
  const hasColors = isTerminal && process.stdout.hasColors();
  const format = logFormat ?? (isTerminal ? 'pretty' : 'json');
  return { ...openLog({ level, format, hasColors, fd: stdout }), hasColors };
}
