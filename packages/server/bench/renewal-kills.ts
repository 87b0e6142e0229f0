// A hundred times both servers are killed in the midst of a renewal run and started again.

import { finishRenewals, runKillRounds } from '../test/renewals/kill-rounds.ts';
import { packageNameOf, startLedger } from './bench-ledger.ts';
import { requireFlawless } from './due-run.ts';
import {
  createApps,
  productionSettings,
  startGateway,
  startProductionServer,
  takenBy,
} from './renewal-servers.ts';
import { verdict } from './report.ts';

const rounds = 100;
const apps = 5;
const blockSize = 300;

/** Long enough for several batches of each server. */
const killedWithinMs = 1_500;

/** So that charges are out when a server is killed. */
const gatewayDelayMs = 20;

export async function killServers(folder: string): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const ledger = stack.use(await startLedger(folder));
  const gateway = stack.use(await startGateway(folder, gatewayDelayMs));
  const env = productionSettings(ledger, gateway);
  await makeApps(folder, env);
  const { client } = ledger;
  const packageNames = Array.from({ length: apps }, (_, app) => packageNameOf(app));
  const run = { rounds, client, env, packageNames, blockSize, killedWithinMs };
  const killed = await runKillRounds({
    ...run,
    onRound: (round) => void process.stderr.write(`killed ${round} of ${rounds} times\n`),
  });
  await finishRenewals(run);
  const { size } = await takenBy(gateway);
  await requireFlawless({ ledger, gateway }, size);
  process.stdout.write(
    `both servers killed in ${rounds} rounds, ${killed.midstRounds} of them with charges out: ${size} periods of ${killed.subscriptions} subscriptions, each paid exactly once, without a gap or an overlap, one event each  ${verdict(killed.midstRounds > 0)}\n`,
  );
}

async function makeApps(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  await using server = await startProductionServer(folder, 'first', env);
  await createApps(server);
}
