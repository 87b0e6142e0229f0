// The server's end of its watcher: starts the process, holds the pipe that keeps it, and tells when it
// has gone.

import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeOrder, keepLine, type WatcherOrder } from './watcher-order.ts';

export interface WatcherProcess {
  /** Resolves when the watcher has ended, with the line that says why if it told one. */
  readonly ended: Promise<string>;
  /** Given when it has ended. */
  readonly endedSignal: AbortSignal;
  /** From now on PostgreSQL is started again whenever it dies. */
  keep(): void;
  /** Closes the pipe: the watcher stops PostgreSQL and ends. */
  letGo(): void;
  kill(): void;
  /** This process may end while the watcher runs. */
  unref(): void;
}

/** All that PostgreSQL and its watcher see of the environment: nothing of the server's settings. */
const bareEnvironment = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };

/** Its sibling, compiled or not as this file is. */
const script = fileURLToPath(new URL(`./watcher${extname(import.meta.url)}`, import.meta.url));

export function startWatcher(order: WatcherOrder): WatcherProcess {
  // What the watcher itself fails with goes where its reader looks first.
  const log = openSync(order.logPath, 'a', 0o600);
  const watcher = spawn(process.execPath, [script, ...encodeOrder(order)], {
    cwd: process.platform === 'win32' ? undefined : '/',
    // A session of its own: Ctrl-C in the server's terminal does not reach it.
    detached: true,
    env: bareEnvironment,
    stdio: ['pipe', 'pipe', log],
    windowsHide: true,
  });
  closeSync(log);
  const { stdin, stdout } = watcher;
  if (stdin === null || stdout === null) throw new Error('a watcher without pipes');
  let said = '';
  const hasEnded = new AbortController();
  stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<string>((resolve) => {
    const end = (line: string) => {
      hasEnded.abort();
      resolve(line);
    };
    watcher.on('error', (error) => end(error.message));
    watcher.on('close', (code, signal) => end(said.trim() || `the watcher ended with ${signal ?? code}`));
  });
  // Writing to a watcher that has just ended fails, and `ended` tells of that.
  stdin.on('error', () => undefined);
  return {
    ended,
    endedSignal: hasEnded.signal,
    keep: () => void stdin.write(keepLine),
    letGo: () => void stdin.end(),
    kill: () => void watcher.kill('SIGKILL'),
    unref() {
      for (const part of [watcher, stdin as Socket, stdout as Socket]) part.unref();
    },
  };
}
