// Gathers lines in memory and passes them on in large pieces: each write to a file or pipe wakes another thread,
// which costs a busy server more than making the lines does.

/** Lines are passed on when the next one may not fit any more, in bytes. */
const gatheredBytesMax = 65_536;

/** Of UTF-8 for a UTF-16 unit, at most. */
const bytesPerUnitMax = 3;

/** Lines wait at most this long, in ms. */
const gatherMs = 500;

interface GatheredLines {
  write(line: string): void;
  /** Passes on what has been gathered. */
  flush(): void;
}

export function gatheredLines(passOn: (lines: string) => void): GatheredLines {
  // As bytes: hundreds of strings that are kept for a while would each be moved by the garbage collector, twice.
  const gathered = Buffer.allocUnsafeSlow(gatheredBytesMax);
  let length = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (length === 0) return;
    const lines = gathered.toString('utf8', 0, length);
    length = 0;
    passOn(lines);
  };
  return {
    write(line) {
      const bytesMax = line.length * bytesPerUnitMax;
      if (bytesMax > gathered.length - length) flush();
      if (bytesMax > gathered.length) {
        passOn(line);
        return;
      }
      length += gathered.write(line, length);
      timer ??= setTimeout(flush, gatherMs).unref();
    },
    flush,
  };
}
