// Sales alone and during other work: half of the connections record purchases while the others consume earlier ones.

import { type App, connections, eachOnce, purchaseCall, recordPurchases } from './apps.ts';
import type { LoadResult } from './load.ts';
import { median, report } from './report.ts';
import type { Listeners } from './servers.ts';

/** As many are recorded as consumed. */
const salesPerRound = 12_800;
const targets = { ratio: 0.5, p99Ms: 250 } as const;

interface Comparison {
  /** The apps in words. */
  readonly of: string;
  readonly rounds: number;
  /** Sells during the renewals that it starts. */
  readonly duringRenewals: (sell: () => Promise<LoadResult>) => Promise<LoadResult>;
}

/** Every call has to succeed. */
async function sell(server: Listeners, apps: readonly App[], name: string): Promise<LoadResult> {
  const each = salesPerRound / 2;
  const consume = (n: number) => purchaseCall('consume', apps, `${name}-old`, n);
  const results = await Promise.all([
    recordPurchases(server, apps, name, each, undefined, connections / 2),
    eachOnce(server.publicUrl, each, consume, connections / 2),
  ]);
  return {
    count: salesPerRound,
    perSecond: Math.min(...results.map(({ perSecond }) => perSecond)) * results.length,
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
  };
}

/** Alternates rounds alone and during renewals, and reports the median of their ratios. */
export async function measureSales(
  server: Listeners,
  apps: readonly App[],
  { of, rounds, duringRenewals }: Comparison,
): Promise<void> {
  const alone: LoadResult[] = [];
  const during: LoadResult[] = [];
  const prepare = async (kind: string, round: number) => {
    const name = `${apps.length}${kind}${round}`;
    await recordPurchases(server, apps, `${name}-old`, salesPerRound / 2);
    return () => sell(server, apps, name);
  };
  for (let round = 1; round <= rounds; round += 1) {
    alone.push(await (await prepare('alone', round))());
    during.push(await duringRenewals(await prepare('during', round)));
    const shown = (of: readonly LoadResult[]) =>
      `${of.at(-1)?.perSecond.toFixed(0)} (p99 ${of.at(-1)?.p99Ms} ms)`;
    console.log(`  round ${round}: ${shown(alone)} and ${shown(during)}`);
  }
  const speeds = (results: readonly LoadResult[]) => results.map(({ perSecond }) => perSecond);
  const p99Ms = (results: readonly LoadResult[]) => median(results.map((result) => result.p99Ms));
  report(`sales per second of ${of}: alone`, median(speeds(alone)));
  report('  p99, ms', p99Ms(alone));
  report('  during renewals', median(speeds(during)));
  report('  p99, ms', p99Ms(during), { most: targets.p99Ms });
  const ratios = speeds(during).map((speed, index) => speed / (speeds(alone)[index] ?? 0));
  report('  ratio', median(ratios), { least: targets.ratio });
}
