// opentill product: creates, replaces and lists the products of an app.

import type { Product } from '@opentill/client/operator';
import type { Command } from 'commander';
import { oneOf, wholeNumber } from '../arguments.ts';
import { type ListOptions, listed, withLimit } from '../listed.ts';
import { callsServer } from '../server-call.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Columns } from '../terminal/output.ts';

const columns: Columns<Product> = {
  productId: (product) => product.productId,
  type: (product) => product.type,
  price: (product) => product.price,
  currency: (product) => product.currency,
  title: (product) => product.title,
  updatedAt: (product) => product.updatedAt,
};

interface PutOptions {
  readonly type: Product['type'];
  readonly price: number;
  readonly currency: string;
  readonly title?: string;
}

export function addProductCommands(program: Command, surroundings: Surroundings): void {
  const product = program.command('product').description('create and list the products of an app');

  const put = product
    .command('put <package-name> <product-id>')
    .description('create or replace a product; its type never changes')
    .requiredOption('--type <type>', 'one_time or subscription', oneOf('one_time', 'subscription'))
    .requiredOption(
      '--price <price>',
      'an integer in the unit that the store uses for prices',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .requiredOption('--currency <code>', 'ISO 4217, such as EUR')
    .option('--title <title>', 'a display title');
  callsServer<PutOptions>(
    put,
    surroundings,
    async ({ client, output, options, ending }, packageName = '', productId = '') => {
      const { type, price, currency, title } = options;
      output.record(
        await client.putProduct({ packageName, productId, type, price, currency, title }, ending),
      );
    },
  );

  const list = withLimit(product.command('list <package-name>').description('list the products of an app'));
  callsServer<ListOptions>(
    list,
    surroundings,
    async ({ client, output, options, ending }, packageName = '') => {
      const products = await listed(options, output, async (page) => {
        const { products: entries, ...next } = await client.listProducts({ packageName, ...page }, ending);
        return { entries, ...next };
      });
      await output.list(products, columns);
    },
  );
}
