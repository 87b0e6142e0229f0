// A server in a process of its own, as the load sees it: an address, and how much memory it holds.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { pause } from '../src/runtime/pause.ts';

const startWithinMs = 20_000;
const pollMs = 20;
const kibPerMib = 1_024;

export interface ChildServer extends AsyncDisposable {
  readonly url: string;
  /** All that the process has said until it was ready. */
  readonly announced: string;
  /** The largest resident memory so far, in MiB; undefined where the system does not tell. */
  peakMemoryMib(): Promise<number | undefined>;
}

/**
 * Starts `script` and waits until it has said `readyWords`; its address follows `urlWords`. What it says goes
 * to a file, as the log of a server does, so that nobody here spends time on reading it.
 */
export async function startChild(
  script: string,
  start: { readyWords: string; urlWords: string; env: NodeJS.ProcessEnv; logFile: string },
): Promise<ChildServer> {
  const log = await open(start.logFile, 'w');
  const child = spawn(process.execPath, [script], { env: start.env, stdio: ['ignore', log.fd, 'inherit'] });
  await log.close();
  const announced = await readUntil(child, start.logFile, start.readyWords);
  const url = announced.match(new RegExp(`${start.urlWords}\\s+(https?://[^\\s/]+)`))?.[1];
  if (url === undefined) throw new Error(`${script} did not say where it listens.`);
  return {
    url,
    announced,
    peakMemoryMib: () => readPeakMemory(child.pid),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function readUntil(child: ChildProcess, logFile: string, words: string): Promise<string> {
  const deadline = AbortSignal.timeout(startWithinMs);
  for (;;) {
    const said = await readFile(logFile, 'utf8');
    if (said.includes(words)) return said;
    if (deadline.aborted || child.exitCode !== null) throw new Error(`A server did not start: ${said}`);
    await pause(pollMs);
  }
}

async function readPeakMemory(pid: number | undefined): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = status.match(/VmHWM:\s+(\d+) kB/)?.[1];
  return kib === undefined ? undefined : Math.round(Number(kib) / kibPerMib);
}
