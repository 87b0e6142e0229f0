// opentill rehearse: prints what the store will charge, and what it assumes.

import { load, type runRehearsal } from '@opentill/server/for-command-line.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';
import type { Columns, Output } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';
import { locationSettings, worksOnStore } from './store-command.ts';

interface RehearseOptions {
  readonly until: string;
  readonly decline: number;
  readonly seed: number;
  readonly price?: Readonly<Record<string, number>>;
  readonly csv?: true;
}

const seedMax = 999_999;

export function addRehearse(program: Command, context: CommandContext): void {
  const command = program
    .command('rehearse')
    .argument('[file]', 'an export of the store; by default its database, or a replica of it')
    .description(
      'print what will be charged, by the rules that charge; a gateway that approves is assumed, and nothing is written but the action of the audit trail',
    )
    .requiredOption('--until <duration>', 'how long from now, such as P1M')
    .option(
      '--decline <percent>',
      'the share of attempts that the gateway declines, such as 3%',
      percentage,
      0,
    )
    .option('--seed <number>', 'which attempts these are', wholeNumber(0, seedMax), 1)
    .option('--price <product=price>', 'a price from now on; can be repeated', collectedPrice)
    .option('--csv', 'print CSV')
    .option('--json', 'print JSON');
  const settings = [...locationSettings, 'OPENTILL_TIME_ZONE', 'OPENTILL_CHARGE_RETRIES'] as const;
  worksOnStore<RehearseOptions>(command, { context, settings }, async ({ env, options, output }, file) => {
    const { until, decline: declined, seed, price: prices = {}, csv } = options;
    const { runRehearsal, rehearsalCsv } = await load.rehearse();
    using progress = await startProgress(context, file === undefined ? 'subscriptions' : 'bytes');
    const given = { file, until, declined, seed, prices, signal: context.signal };
    const report = await runRehearsal(env, { ...given, onProgress: progress?.set });
    progress?.stop();
    if (output.isJson) output.record(report);
    else if (csv === true) {
      for (const row of rehearsalCsv(report.rows)) context.stdout.write(row);
      for (const [name, value] of Object.entries(shownAssumptions(report))) output.note(`${name}: ${value}`);
    } else await showReport(report, output);
  });
}

type Report = Awaited<ReturnType<typeof runRehearsal>>;

function shownAssumptions({ assumptions }: Report): Record<string, string | number> {
  const { from, until, timeZone, retries, declined, seed, prices, pausedApps, subscriptions } = assumptions;
  const hours = retries.map((ms) => `${ms / 3_600_000}h`).join(', ');
  return {
    from: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
    'days of': timeZone,
    subscriptions,
    'the gateway': declined === 0 ? 'approves every charge' : `declines ${declined * 100}% (seed ${seed})`,
    retries: hours === '' ? 'none' : `${hours} after a payment fell due`,
    ...(Object.keys(prices).length > 0 && { prices: pricesText(prices) }),
    'nothing is charged in': pausedApps.join(', ') || 'no app: none is paused or disabled',
  };
}

const pricesText = (prices: Readonly<Record<string, number>>): string =>
  Object.entries(prices)
    .map(([product, price]) => `${product}=${price}`)
    .join(', ');

type Row = Report['rows'][number];
type Total = Report['currencies'][number];

const sums: Columns<Total> = {
  currency: ({ currency }) => currency,
  charged: ({ charged }) => charged,
  amount: ({ amount }) => amount,
  declined: ({ declined }) => declined,
  recovered: ({ recoveredAmount }) => recoveredAmount,
  lost: ({ lostAmount }) => lostAmount,
  open: ({ openAmount }) => openAmount,
  ended: ({ ended }) => ended,
  'awaits consent': ({ awaitedAmount }) => awaitedAmount,
};

async function showReport(report: Report, output: Output): Promise<void> {
  const date = ({ date }: Total) => date;
  const product = ({ packageName, productId }: Total) => `${packageName} ${productId}`;
  const columns: Columns<Row> = {
    date,
    app: ({ packageName }) => packageName,
    product: ({ productId }) => productId,
    price: ({ price }) => price,
    kind: ({ kind }) => kind,
    ...sums,
  };
  const list = (name: string, rows: readonly object[], shown: object) => ({
    name,
    rows,
    columns: shown as Columns<object>,
  });
  await output.recordWithLists({
    fields: shownAssumptions(report),
    lists: [
      list('charges', report.rows, columns),
      list('by day', report.days, { date, ...sums }),
      list('by product', report.products, { product, ...sums }),
      list('by currency', report.currencies, sums),
    ],
  });
}

function percentage(text: string): number {
  const [, percent] = /^(\d{1,3}(?:\.\d+)?)%?$/.exec(text) ?? [];
  const share = Number(percent) / 100;
  if (share >= 0 && share <= 1) return share;
  throw new InvalidArgumentError('Expected a share such as 3%.');
}

function collectedPrice(text: string, prices: Readonly<Record<string, number>> = {}): Record<string, number> {
  const [, product = '', price] = /^([^=]+)=(\d{1,15})$/.exec(text) ?? [];
  if (price === undefined)
    throw new InvalidArgumentError('Expected a product and a price, as in club=10900.');
  return { ...prices, [product]: Number(price) };
}
