// Gathers lines in memory and passes them on in large pieces: each write to a file or pipe wakes another thread,
// which costs a busy server more than making the lines does.

/** Lines are passed on from this length on, in UTF-16 units. */
const gatheredMax = 65_536;

/** Lines wait at most this long, in ms. */
const gatherMs = 500;

interface GatheredLines {
  write(line: string): void;
  /** Passes on what has been gathered. */
  flush(): void;
}

export function gatheredLines(passOn: (lines: string) => void): GatheredLines {
  let gathered = '';
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (gathered === '') return;
    const lines = gathered;
    gathered = '';
    passOn(lines);
  };
  return {
    write(line) {
      gathered += line;
      if (gathered.length >= gatheredMax) flush();
      else timer ??= setTimeout(flush, gatherMs).unref();
    },
    flush,
  };
}
