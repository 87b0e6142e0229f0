// A server that renews in a process of its own, on the database and the gateway of a stage, until it dies.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtProgramEnv, builtTestProgram } from '../built-programs.ts';
import { type RenewalStage, stageEnv } from './renewal-stage.ts';
import type { RenewingOrder } from './renewing-program.ts';

/** On a busy machine a server needs its time to start. */
const diesWithinMs = 25_000;

/** Starts it; gives its exit code, or the signal that killed it. */
export async function endOfServer(
  { server, gateway }: Pick<RenewalStage, 'server' | 'gateway'>,
  when: Pick<RenewingOrder, 'now' | 'crashPoint'>,
): Promise<number | NodeJS.Signals> {
  const order: RenewingOrder = { connection: server.connection, env: stageEnv(gateway), ...when };
  const program = builtTestProgram('packages/server/test/renewals/renewing-program');
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      ...builtProgramEnv(),
      ORDER: JSON.stringify(order),
    },
    timeout: diesWithinMs,
  });
  const [code, signal] = await once(child, 'close');
  return signal ?? code;
}
