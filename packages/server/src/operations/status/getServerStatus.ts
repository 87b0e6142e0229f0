// Reads what the servers of the store run with.

import { getServerStatus as operation } from '@opentill/contract/operator-api/getServerStatus.ts';
import { processesShownMax, type ServerStatus } from '@opentill/contract/server-status.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { areTablesDistributed } from '../../store/connection/cluster.ts';
import type { Database } from '../../store/connection/database.ts';
import { readDatabaseFacts } from '../../store/connection/database-status.ts';
import type { ServerProcess } from '../../store/status/server-processes.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { readRenewalState } from '../subscriptions/read-renewals.ts';
import { listLivingProcesses } from './living-processes.ts';

type StatusOptions = Uses<
  'store' | 'settling' | 'activity' | 'operatorKeys' | 'shownSettings' | 'paymentGatewayUrl'
>;

export function getServerStatus(options: StatusOptions): OperatorHandler {
  const { store, activity, operatorKeys, shownSettings } = options;
  const { database, environment } = store;
  return operatorHandler(operation, async () => {
    const processes = await listLivingProcesses(database, activity);
    return answered(200, {
      environment,
      version: packageJson.version,
      processes: processes.slice(0, processesShownMax).map(({ startedAt, state }) => ({
        startedAt,
        version: state.version,
        clockDifferenceMs: state.skewMs,
      })),
      database: await readDatabase(database),
      renewals: await readRenewalState(store),
      paymentGateway: gatewayOf(options, processes),
      settings: [...shownSettings],
      operatorKeys: operatorKeys().list.map(({ name, role }) => ({ name, role })),
    });
  });
}

async function readDatabase(database: Database): Promise<ServerStatus['database']> {
  const { version, bytes } = await readDatabaseFacts(database);
  return { version, isDistributed: await areTablesDistributed(database), bytes };
}

/** The rest of the URL may contain a secret. */
function gatewayOf(
  { store: { environment }, paymentGatewayUrl }: Pick<StatusOptions, 'store' | 'paymentGatewayUrl'>,
  processes: readonly ServerProcess[],
): ServerStatus['paymentGateway'] {
  const clear = processes.flatMap(({ state }) => state.gatewayClearAt ?? []);
  const heard = clear.length > 0 && { clearAt: Math.max(...clear) };
  if (environment === 'sandbox') return { kind: 'simulated', ...heard };
  if (paymentGatewayUrl === undefined) return { kind: 'none' };
  return { kind: 'http', host: new URL(paymentGatewayUrl).host, ...heard };
}
