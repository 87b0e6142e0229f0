// The watcher's own watcher: a shell that does nothing but wait for the watcher's end, so that even
// somebody who kills every Node process of the machine leaves no PostgreSQL behind. POSIX only.

import { type ChildProcess, spawn } from 'node:child_process';

/** The pause of a shell without fractions of a second is a whole one: still bounded, 4 s in place of 2. */
const script = `
read -r word && [ "$word" = done ] && exit 0
kill -INT "$1"
tries=0
while kill -0 "$1"; do
  tries=$((tries + 1))
  [ $tries -eq 25 ] && kill -QUIT "$1"
  [ $tries -ge 35 ] && kill -KILL "$1" && break
  sleep 0.1 || sleep 1
done
`;

interface Guard {
  /** PostgreSQL has gone: its process id must not be signalled any more. Resolves when the guard has, too. */
  dismiss(): Promise<void>;
}

/** Sees to it that the postmaster `pid` does not outlive this process. Runs as PostgreSQL's account. */
export function startGuard(options: {
  pid: number;
  /** Only to be seen in a list of processes. */
  clusterFolder: string;
  runAs: { readonly uid: number; readonly gid: number } | undefined;
  onProblem: (error: Error) => void;
}): Guard | undefined {
  if (process.platform === 'win32') return undefined;
  const guard: ChildProcess = spawn(
    '/bin/sh',
    ['-c', script, 'opentill-guard', String(options.pid), options.clusterFolder],
    {
      stdio: ['pipe', 'ignore', 'ignore'],
      ...options.runAs,
    },
  );
  guard.on('error', options.onProblem);
  // Somebody may have ended the guard: what it would have read then is of no use to anybody.
  guard.stdin?.on('error', options.onProblem);
  const ended = new Promise<void>((resolve) => guard.on('close', () => resolve()));
  return {
    dismiss: () => {
      guard.stdin?.end('done\n');
      return ended;
    },
  };
}
