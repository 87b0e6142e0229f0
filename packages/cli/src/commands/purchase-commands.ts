// opentill purchase: records, shows, lists, finds and voids purchases.

import type { Purchase } from '@opentill/client/operator';
import type { Command } from 'commander';
import { instant, oneOf, wholeNumber } from '../arguments.ts';
import { type ListOptions, listed, withLimit } from '../listed.ts';
import { type ReasonOptions, reasonFrom, withReason } from '../reason-options.ts';
import { callsServer } from '../server-call.ts';
import { type Surroundings, UsageProblem } from '../surroundings.ts';
import type { Columns } from '../terminal/output.ts';

function stateOf({ purchaseState, consumptionState }: Purchase): string {
  if (purchaseState === 1) return 'voided';
  return consumptionState === 1 ? 'consumed' : 'completed';
}

const columns: Columns<Purchase> = {
  purchaseId: (purchase) => purchase.purchaseId,
  productId: (purchase) => purchase.productId,
  state: stateOf,
  purchaseTime: (purchase) => purchase.purchaseTime,
  price: (purchase) => purchase.price,
  currency: (purchase) => purchase.currency,
  orderId: (purchase) => purchase.orderId,
  buyerId: (purchase) => purchase.buyerId,
};

const foundColumns: Columns<Purchase> = { packageName: (purchase) => purchase.packageName, ...columns };

export function addPurchaseCommands(program: Command, surroundings: Surroundings): void {
  const purchase = program.command('purchase').description('record, find and void purchases');
  addRecord(purchase, surroundings);
  addShow(purchase, surroundings);
  addVoid(purchase, surroundings);
  addList(purchase, surroundings);
  addSearch(purchase, surroundings);
}

interface RecordOptions {
  readonly purchaseId?: string;
  readonly orderId?: string;
  readonly buyerId?: string;
  readonly developerPayload?: string;
  readonly price?: number;
  readonly purchaseTime?: number;
}

function addRecord(purchase: Command, surroundings: Surroundings): void {
  const record = purchase
    .command('record <package-name> <product-id>')
    .description('record a purchase, which starts a subscription for a subscription product')
    .option(
      '--purchase-id <id>',
      'id of the purchase; random by default; a repeated id records nothing twice',
    )
    .option('--order-id <id>', "the store's order number; a repeated number records nothing twice")
    .option('--buyer-id <id>', "the store's customer id")
    .option('--developer-payload <text>', "the developer's payment identifier")
    .option(
      '--price <price>',
      'price; by default that of the product',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option('--purchase-time <instant>', 'time of the purchase; by default now', instant);
  callsServer<RecordOptions>(
    record,
    surroundings,
    async ({ client, output, options, ending }, packageName = '', productId = '') => {
      const { purchaseId, orderId, buyerId, developerPayload, price, purchaseTime } = options;
      const sent = { purchaseId, orderId, buyerId, developerPayload, price, purchaseTime };
      output.record(await client.recordPurchase({ packageName, productId, ...sent }, ending));
    },
  );
}

function addShow(purchase: Command, surroundings: Surroundings): void {
  const show = purchase
    .command('show <package-name> <purchase-id>')
    .description('print a purchase with its history');
  callsServer(show, surroundings, async ({ client, output, ending }, packageName = '', purchaseId = '') => {
    const whole = await client.getPurchase({ packageName, purchaseId }, ending);
    const { history: rows, ...fields } = whole;
    await output.recordWithList(
      { whole, fields, rows },
      {
        time: (entry) => entry.time,
        type: (entry) => entry.type,
        madeBy: (entry) => entry.madeBy,
        requestId: (entry) => entry.requestId,
      },
    );
  });
}

function addVoid(purchase: Command, surroundings: Surroundings): void {
  const command = withReason(
    purchase
      .command('void <package-name> <purchase-id>')
      .description('void a purchase, which adds it to the voided list')
      .option('--reason <reason>', 'customer or system (the default)', oneOf('customer', 'system')),
  );
  callsServer<{ reason?: 'customer' | 'system' } & ReasonOptions>(
    command,
    surroundings,
    async ({ client, output, options, ending }, packageName = '', purchaseId = '') => {
      const { reason } = options;
      const why = { reason, ...reasonFrom(options) };
      output.record(await client.voidPurchase({ packageName, purchaseId, ...why }, ending));
    },
  );
}

interface FilterOptions extends ListOptions {
  readonly productId?: string;
  readonly buyerId?: string;
  readonly state?: 'completed' | 'consumed' | 'voided';
  readonly from?: number;
  readonly to?: number;
}

function addList(purchase: Command, surroundings: Surroundings): void {
  const list = withLimit(
    purchase
      .command('list <package-name>')
      .description('list the purchases of an app, newest first')
      .option('--product-id <id>', 'only purchases of this product')
      .option('--buyer-id <id>', 'only purchases of this customer')
      .option('--state <state>', 'completed, consumed or voided', oneOf('completed', 'consumed', 'voided'))
      .option('--from <instant>', 'purchased at this instant or later', instant)
      .option('--to <instant>', 'purchased before this instant', instant),
  );
  callsServer<FilterOptions>(
    list,
    surroundings,
    async ({ client, output, options, ending }, packageName = '') => {
      const { productId, buyerId, state, from, to } = options;
      const purchases = await listed(options, output, async (page) => {
        const asked = { packageName, productId, buyerId, state, from, to, ...page };
        const { purchases: entries, ...next } = await client.listPurchases(asked, ending);
        return { entries, ...next };
      });
      await output.list(purchases, columns);
    },
  );
}

interface SearchOptions extends ListOptions {
  readonly purchaseId?: string;
  readonly orderId?: string;
  readonly buyerId?: string;
}

function addSearch(purchase: Command, surroundings: Surroundings): void {
  const search = withLimit(
    purchase
      .command('search')
      .description('find purchases in all apps by exactly one of these ids')
      .option('--purchase-id <id>', 'the id of a purchase')
      .option('--order-id <id>', "the store's order number")
      .option('--buyer-id <id>', "the store's customer id"),
  );
  callsServer<SearchOptions>(search, surroundings, async ({ client, output, options, ending }) => {
    const { purchaseId, orderId, buyerId } = options;
    if ([purchaseId, orderId, buyerId].filter((value) => value !== undefined).length !== 1) {
      throw new UsageProblem('Use exactly one of --purchase-id, --order-id and --buyer-id.');
    }
    const purchases = await listed(options, output, async (page) => {
      const asked = { purchaseId, orderId, buyerId, ...page };
      const { purchases: entries, ...next } = await client.searchPurchases(asked, ending);
      return { entries, ...next };
    });
    await output.list(purchases, foundColumns);
  });
}
