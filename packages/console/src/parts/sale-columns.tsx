// The columns that purchases and subscriptions have in common.

import { ShortName } from '../values/long-text.tsx';
import { linkTo, PageLink } from './page-link.tsx';
import type { Column } from './records.tsx';

interface Sale {
  readonly packageName: string;
  readonly productId: string;
  readonly orderId?: string | undefined;
  readonly buyerId?: string | undefined;
}

/** Customers name orders. The app is shown unless the list is of one. */
export function saleColumns<Row extends Sale>(ofApp: string | undefined): Column<Row>[] {
  const app: Column<Row> = {
    title: 'App',
    cell: ({ packageName }) => <ShortName text={packageName} />,
  };
  return [
    ...(ofApp === undefined ? [app] : []),
    {
      title: 'Product',
      cell: ({ productId }) => <ShortName text={productId} />,
    },
    {
      title: 'Order',
      cell: ({ orderId = '-' }) => (orderId === '-' ? orderId : <ShortName text={orderId} />),
    },
    {
      title: 'Buyer',
      cell: ({ buyerId }) =>
        buyerId === undefined ? (
          '-'
        ) : (
          <PageLink {...linkTo.buyer(buyerId)} inherit>
            <ShortName text={buyerId} />
          </PageLink>
        ),
    },
  ];
}
