// A progress bar on standard error, only if that is a terminal.

import type { CommandContext } from '../command-context.ts';

interface Progress extends Disposable {
  /** `total` 0: unknown. */
  readonly set: (done: number, total: number) => void;
  stop(): void;
}

/** Redraws per second. */
const redraws = 10;

/** Returns undefined if standard error is not a terminal. */
export async function startProgress(
  { stderr }: Pick<CommandContext, 'stderr'>,
  unit: string,
): Promise<Progress | undefined> {
  if (stderr.isTTY !== true) return undefined;
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar({
    stream: stderr as NodeJS.WriteStream,
    format: `{bar} {percentage}%  {value} ${unit}  {duration_formatted}`,
    fps: redraws,
    clearOnComplete: true,
    hideCursor: true,
  });
  let isStarted = false;
  const stop = () => {
    if (isStarted) bar.stop();
  };
  return {
    set(done, total) {
      const atLeast = Math.max(total, done);
      if (!isStarted) bar.start(atLeast, done);
      isStarted = true;
      bar.setTotal(atLeast);
      bar.update(done);
    },
    stop,
    [Symbol.dispose]: stop,
  };
}
