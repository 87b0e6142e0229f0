// Bounds how much of one kind runs at once; the rest waits, first come, first served.

/** A function that runs work as soon as less than `atOnceMax` of it is under way. */
export function limited(atOnceMax: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (work) => {
    // Who is let in takes over the place of who ended.
    if (underWay < atOnceMax) underWay += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) underWay -= 1;
      else next();
    }
  };
}
