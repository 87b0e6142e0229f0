// What a renewal run costs those who read meanwhile: the slowest hundredth of a steady load, with and without.

import { pauseUntil } from './bench-time.ts';
import { countRenewed, isDone, makeDue, requireFlawless, secondsUntilDone } from './due-run.ts';
import { type LoadResult, runLoad } from './load.ts';
import { readRequests } from './purchase-calls.ts';
import { type RenewalServers, startRenewalServers } from './renewal-servers.ts';
import { median, verdict } from './report.ts';
import { runSteadyLoad } from './steady-load.ts';

const rounds = 5;
const readsPerSecond = 500;
const seconds = 8;
const warmUpSeconds = 3;
const warmUpRenewals = 4_000;
const renewals = 8_000;
const slowdownMax = 2;

interface Round {
  readonly without: LoadResult;
  readonly during: LoadResult;
  readonly renewalsPerSecond: number;
}

export async function measureReads(folder: string): Promise<void> {
  await using servers = await startRenewalServers(folder);
  await warmUp(servers);
  const results: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    process.stderr.write(`round ${round} of ${rounds}\n`);
    results.push(await runRound(servers, round));
  }
  await requireFlawless(servers, warmUpRenewals + rounds * renewals);
  report(results);
}

/** Until what a call and a renewal run through is compiled. */
async function warmUp(servers: RenewalServers): Promise<void> {
  const requests = readRequests(0, readsPerSecond, servers.clients);
  for (const { url } of servers.servers) {
    await runLoad({ url, connections: 16, extent: { seconds: warmUpSeconds }, requestsOf: () => requests });
  }
  await load(servers, warmUpSeconds);
  const shape = { name: 'warm-up', count: warmUpRenewals, apps: 50 };
  await secondsUntilDone(servers, await makeDue(servers, shape));
}

function load({ servers, clients }: RenewalServers, forSeconds: number): Promise<LoadResult> {
  return runSteadyLoad({
    urls: servers.map(({ url }) => url),
    perSecond: readsPerSecond,
    seconds: forSeconds,
    requests: readRequests(0, readsPerSecond, clients),
  });
}

async function runRound(servers: RenewalServers, round: number): Promise<Round> {
  const without = await load(servers, seconds);
  const due = await makeDue(servers, { name: `round ${round}`, count: renewals, apps: 50 });
  await pauseUntil(due + 1_500);
  const renewedBefore = await countRenewed(servers);
  const begun = performance.now();
  const during = await load(servers, seconds);
  const renewed = (await countRenewed(servers)) - renewedBefore;
  const renewalsPerSecond = (renewed * 1_000) / (performance.now() - begun);
  if (await isDone(servers)) throw new Error('The renewal run ended before the load did.');
  await secondsUntilDone(servers, due);
  return { without, during, renewalsPerSecond };
}

function report(results: readonly Round[]): void {
  const of = (value: (round: Round) => number) => median(results.map(value));
  const slowdown = of(({ without, during }) => during.p99Ms / without.p99Ms);
  const shown = {
    without: of(({ without }) => without.p99Ms).toFixed(1),
    during: of(({ during }) => during.p99Ms).toFixed(1),
    renewals: of(({ renewalsPerSecond }) => renewalsPerSecond).toFixed(0),
  };
  process.stdout.write(
    `getPurchaseDetails, ${readsPerSecond} a second: p99 ${shown.without} ms without renewals, ${shown.during} ms beside ${shown.renewals} of them a second: ${slowdown.toFixed(2)} times, bar ${slowdownMax}  ${verdict(slowdown <= slowdownMax)}\n`,
  );
}
