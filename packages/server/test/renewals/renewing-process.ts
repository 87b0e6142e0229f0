// Runs a server with renewals in a separate process, on the database and gateway of a stage, until it dies.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtProgramEnv, builtTestProgram } from '../../../../test/support/built-programs.ts';
import { type RenewalStage, stageEnv } from '../../../../test/support/renewals/renewal-stage.ts';
import { removeClockMark } from '../../../../test/support/stage.ts';
import type { RenewingOrder } from './renewing-program.ts';

/** Far more than a start takes on a busy machine. */
const diesWithinMs = 120_000;

/** Runs the server and returns its exit code, or the signal that killed it. */
export async function endOfServer(
  { server, gateway }: Pick<RenewalStage, 'server' | 'gateway'>,
  when: Pick<RenewingOrder, 'now' | 'crashPoint'>,
): Promise<number | NodeJS.Signals> {
  // An earlier server may have stored another time.
  await removeClockMark(server);
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
