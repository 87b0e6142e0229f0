// How many renewals a second two servers do together, of one app and of many.

import { countRenewed, type DueShape, makeDue, requireFlawless, secondsUntilDone } from './due-run.ts';
import { startRenewalServers } from './renewal-servers.ts';
import { verdict } from './report.ts';

const perSecondMin = 1_000;

/** The first run is for the compilers: its time is not told. */
const shapes: readonly DueShape[] = [
  { name: 'warm-up', count: 2_000, apps: 50 },
  { name: 'of 50 apps', count: 20_000, apps: 50 },
  { name: 'of one app', count: 20_000, apps: 1 },
];

export async function measureSpeed(folder: string): Promise<void> {
  await using servers = await startRenewalServers(folder);
  for (const shape of shapes) {
    const before = await countRenewed(servers);
    const due = await makeDue(servers, shape);
    const seconds = await secondsUntilDone(servers, due);
    await requireFlawless(servers, before + shape.count);
    if (shape === shapes[0]) continue;
    const perSecond = Math.round(shape.count / seconds);
    process.stdout.write(
      `${shape.count} renewals ${shape.name}, two servers: ${perSecond} a second, bar ${perSecondMin}, none doubled, none lost  ${verdict(perSecond >= perSecondMin)}\n`,
    );
  }
  for (const server of servers.servers) {
    process.stdout.write(`largest resident memory of a server: ${await server.peakMemoryMib()} MiB\n`);
  }
}
