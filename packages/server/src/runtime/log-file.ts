// Where lines of the log go to: a file, a pipe or a terminal that may be full, gone or read by nobody. A server goes
// on without its log, and says so once.

import { writeSync } from 'node:fs';
import sonicBoom from 'sonic-boom';

/** By this a flush waits: with 0 bytes it would call back at once. */
const flushedBytesMin = 1;

/** Lines that wait to be written; further ones are dropped, in bytes. */
const waitingBytesMax = 4_194_304;

/** A flush waits so long, in ms. */
const flushWithinMs = 2_000;

const stderr = 2;

interface LogFile {
  write(text: string): void;
  /** Resolves with whether all is written or given up; what nobody reads after a while still waits. */
  flush(): Promise<boolean>;
}

export function openLogFile(fd: number): LogFile {
  const file = new sonicBoom.SonicBoom({ fd, minLength: flushedBytesMin, maxLength: waitingBytesMax });
  let isBroken = false;
  file.on('error', (error: NodeJS.ErrnoException) => {
    if (!isBroken) tell(`The log cannot be written (${error.code}): the server goes on without it.`);
    isBroken = true;
  });
  file.on('write', () => {
    if (isBroken) tell('The log is written again.');
    isBroken = false;
  });
  return {
    write: (text) => void file.write(text),
    flush: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, flushWithinMs, false);
        file.flush(() => {
          clearTimeout(timer);
          resolve(true);
        });
      }),
  };
}

function tell(line: string): void {
  try {
    writeSync(stderr, `${line}\n`);
  } catch {
    // Where the log goes as well, or gone: there is nobody left to tell.
  }
}
