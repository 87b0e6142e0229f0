// opentill subscription change-price: changes the renewal price of all subscriptions of a product.

import type { OperatorClient, Subscription } from '@opentill/client/operator';
import { pageSize } from '@opentill/contract/limits.ts';
import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import type { Command } from 'commander';
import { oneOf, wholeNumber } from '../arguments.ts';
import { type CommandContext, UsageProblem } from '../command-context.ts';
import { callsServer, type ServerCall } from '../server-call.ts';
import { startProgress } from '../terminal/progress.ts';

interface PriceOptions {
  readonly product: string;
  readonly price: number;
  readonly consent?: 'awaited';
  readonly note?: string;
  readonly check?: boolean;
}

type Call = Pick<ServerCall<PriceOptions>, 'client' | 'output' | 'options' | 'ending'>;

/** Calls in flight: some hundreds of changes a second, and most of the server for others. */
const inFlightMax = 4;

export function addPriceCommand(subscription: Command, context: CommandContext): void {
  const command = subscription
    .command('change-price <package-name>')
    .description(
      'change the renewal price of all subscriptions of a product whose paid period lasts; a repeated command continues',
    )
    .requiredOption('--product <product-id>', 'the product', withoutSurroundings)
    .requiredOption(
      '--price <price>',
      'the price of each later period',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--consent <consent>',
      'awaited: auto-payment is off until the customer consents, unless the price falls',
      oneOf('awaited'),
    )
    .option('--note <note>', 'a note for people, for the audit trail')
    .option('--check', 'change nothing, and print what would be changed');
  callsServer<PriceOptions>(command, context, async (call, packageName) => {
    const planned = await plan(call, withoutSurroundings(packageName ?? ''));
    const of = planned.filter(({ renewalPrice }) => renewalPrice !== call.options.price);
    announce(of, call);
    const unchanged = planned.length - of.length;
    if (call.options.check) {
      const wouldAsk = of.filter((one) => asks(one, call.options)).length;
      return call.output.record({ wouldChange: of.length, wouldAsk, unchanged });
    }
    using progress = await startProgress(context, 'subscriptions');
    const counts = await changeAll(of, call, (done) => progress?.set(done, of.length));
    progress?.stop();
    call.output.record({ ...counts, unchanged });
  });
}

type Planned = Pick<Subscription, 'packageName' | 'firstPurchaseId' | 'renewalPrice' | 'currency'>;

/** The subscriptions of the product before the end of their paid period. */
async function plan({ client, options, ending }: Call, packageName: string): Promise<readonly Planned[]> {
  const { eachPage } = await import('@opentill/client/operator');
  const planned: Planned[] = [];
  for (const state of ['active', 'autoPaymentOff'] as const) {
    const filter = { packageName, productId: options.product, state, pageSize: pageSize.max };
    for await (const { subscriptions } of eachPage((page) =>
      client.listSubscriptions({ ...filter, ...page }, ending),
    )) {
      for (const { firstPurchaseId, renewalPrice, currency } of subscriptions)
        planned.push({ packageName, firstPurchaseId, renewalPrice, currency });
    }
  }
  const currencies = [...new Set(planned.map(({ currency }) => currency))];
  if (currencies.length > 1) {
    const got = currencies.toSorted().join(', ');
    throw new UsageProblem(`--price: expected subscriptions of one currency, got ${got}.`);
  }
  return planned;
}

/** Nobody is asked whose price falls. */
const asks = ({ renewalPrice }: Planned, { consent, price }: PriceOptions): boolean =>
  consent !== undefined && price > renewalPrice;

/** A line for each present price. */
function announce(planned: readonly Planned[], { options, output }: Call): void {
  if (planned.length === 0) output.note('No subscription has another price.');
  const byPrice = Map.groupBy(planned, ({ renewalPrice }) => renewalPrice);
  for (const [before, of] of [...byPrice].toSorted(([a], [b]) => a - b)) {
    const [first] = of;
    if (first === undefined) continue;
    const consent = asks(first, options) ? ', awaiting consent' : '';
    const what = of.length === 1 ? '1 subscription' : `${of.length} subscriptions`;
    output.note(`${what}: ${before} to ${options.price} ${first.currency}${consent}`);
  }
}

interface Counts {
  changed: number;
  /** Part of the changed ones. */
  asked: number;
  /** Its period has ended since it was listed, or it was terminated. */
  refused: number;
}

async function changeAll(
  planned: readonly Planned[],
  { client, options, ending }: Call,
  onDone: (done: number) => void,
): Promise<Counts> {
  const counts: Counts = { changed: 0, asked: 0, refused: 0 };
  const queue = planned.values();
  const worker = async () => {
    for (const one of queue) {
      const isAsked = asks(one, options);
      if (await change(client, one, { ...options, isAsked }, ending)) {
        counts.changed += 1;
        if (isAsked) counts.asked += 1;
      } else counts.refused += 1;
      onDone(counts.changed + counts.refused);
    }
  };
  await Promise.all(Array.from({ length: inFlightMax }, worker));
  return counts;
}

/** Returns false if its state does not allow the change. */
async function change(
  client: OperatorClient,
  { packageName, firstPurchaseId }: Planned,
  { price, note, isAsked }: PriceOptions & { readonly isAsked: boolean },
  ending: Call['ending'],
): Promise<boolean> {
  const { OpenTillError } = await import('@opentill/client');
  const consent = isAsked ? 'awaited' : undefined;
  try {
    await client.changeRenewalPrice({ packageName, firstPurchaseId, price, note, consent }, ending);
    return true;
  } catch (error) {
    if (error instanceof OpenTillError && error.httpStatus === 409) return false;
    throw error;
  }
}
