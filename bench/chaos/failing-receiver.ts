// Delivers 100,000 events to a receiver that fails a third of the calls, while servers are killed
// (packages/server/test/webhooks/chaos.ts). Every event must arrive.

import { type OpentillProcess, startOpentill } from '../../packages/server/test/start/opentill-process.ts';
import { runChaos } from '../../packages/server/test/webhooks/chaos.ts';
import { report } from '../report.ts';
import { adminKey, serverSettings, startBench } from '../servers.ts';

const progressEveryMs = 10_000;

await using bench = await startBench();
// A more detailed log could grow too large to keep in this process.
const env = {
  ...serverSettings(bench.databaseUrl),
  OPENTILL_ENVIRONMENT: 'sandbox',
  OPENTILL_WEBHOOK_ALLOW: 'loopback',
  OPENTILL_LOG_LEVEL: 'error',
};
const start = (): OpentillProcess => startOpentill({ env });
{
  await using first = start();
  await first.ready();
}
let progressAt = performance.now();
const found = await runChaos({
  connection: bench.postgres.connection,
  appCount: 30,
  // Three events each: a few more than 100,000 in all.
  purchasesOfApp: 1_112,
  attemptMs: 10_000,
  start,
  operatorKey: adminKey,
  serverCount: 2,
  kills: 10,
  endsLeases: false,
  deadlineMs: 3_600_000,
  onProgress(delivered) {
    if (performance.now() - progressAt < progressEveryMs) return;
    progressAt = performance.now();
    process.stderr.write(`${delivered} delivered\n`);
  },
});
process.stdout.write(`${JSON.stringify(found)}\n`);
report('events acknowledged', found.acknowledged, { least: found.events });
report('events marked as delivered', found.states['delivered'] ?? 0, { least: found.events });
report('repeated deliveries with another body', found.altered, { most: 0 });
report('events ahead of an earlier one of their purchase', found.overtaking, { most: 2 * found.died });
