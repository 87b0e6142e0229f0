// PostgreSQL's log: a file that never grows beyond a bound, with one predecessor beside it.

import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { isSystemError } from '../runtime/system-errors.ts';

/** Enough for weeks of a quiet server and for the story of a crash; twice this is the most on disk. */
const logBytesMax = 5 * 1024 * 1024;

/** How many of the last lines are searched for the reason of a failure. */
const lastLinesMax = 50;

export interface BoundedLog {
  write(text: string): void;
  /** The line that says best why PostgreSQL stopped: the last fatal one, else the last at all. */
  lastMeaningfulLine(): string;
  close(): void;
}

export function openBoundedLog(path: string, bytesMax = logBytesMax): BoundedLog {
  let file = openSync(path, 'a', 0o600);
  let bytes = fstatSync(file).size;
  let lostBytes = 0;
  let lastLines: string[] = [];

  function append(text: string): void {
    if (bytes > bytesMax) {
      closeSync(file);
      renameSync(path, `${path}.1`);
      file = openSync(path, 'a', 0o600);
      bytes = 0;
    }
    bytes += writeSync(file, text);
  }

  return {
    write(text) {
      lastLines = [...lastLines, ...text.split('\n').filter((line) => line.trim() !== '')].slice(
        -lastLinesMax,
      );
      try {
        append(lostBytes > 0 ? `(${lostBytes} bytes of log were lost on a full disk)\n${text}` : text);
        lostBytes = 0;
      } catch (error) {
        // A full disk must not end the process that watches over PostgreSQL; the gap is told later.
        if (!isSystemError(error, 'ENOSPC', 'EDQUOT', 'EIO')) throw error;
        lostBytes += Buffer.byteLength(text);
      }
    },
    lastMeaningfulLine: () => meaningfulLine(lastLines),
    close: () => closeSync(file),
  };
}

/** PostgreSQL's programs mark what made them give up; hints and details follow it. */
export function meaningfulLine(lines: readonly string[]): string {
  const telling = lines.findLast((line) => /\b(FATAL|PANIC|ERROR):|error:|could not/.test(line));
  return (telling ?? lines.findLast((line) => line.trim() !== '') ?? 'it said nothing').trim();
}
