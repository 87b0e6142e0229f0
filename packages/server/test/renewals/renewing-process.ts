// Starts a server that renews in a process of its own, on the database and the gateway of a stage.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type RenewalStage, stageEnv } from './renewal-stage.ts';
import type { RenewingOrder } from './renewing-program.ts';

const program = fileURLToPath(new URL('./renewing-program.ts', import.meta.url));

export interface RenewingProcess extends AsyncDisposable {
  /** The exit code, or the signal that killed it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Tells it to stop, once it has started; gives how it ended. */
  stop(): Promise<number | NodeJS.Signals>;
}

export function startRenewingProcess(
  { server, gateway }: Pick<RenewalStage, 'server' | 'gateway'>,
  when: Pick<RenewingOrder, 'now' | 'crashPoint'>,
): RenewingProcess {
  const order: RenewingOrder = { connection: server.connection, env: stageEnv(gateway), ...when };
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], ORDER: JSON.stringify(order) },
  });
  const ready = once(child.stdout, 'data').then(() => undefined);
  const ended = once(child, 'close').then(([code, signal]) => signal ?? code);
  return {
    ended,
    async stop() {
      await ready;
      child.kill('SIGTERM');
      return ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
