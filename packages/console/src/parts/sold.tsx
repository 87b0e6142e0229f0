// What was sold: its name and price, and the columns that lists of purchases and subscriptions have in common.

import type { ListedSubscription, Purchase, PurchaseWithHistory } from '@opentill/client/operator';
import { LongText, ShortName } from '../values/long-text.tsx';
import { Money } from '../values/money.tsx';
import { periodNames } from '../values/period.ts';
import { linkTo, PageLink } from './page-link.tsx';
import type { Column } from './records.tsx';

type SoldFields = Pick<PurchaseWithHistory, 'productTitle' | 'productId'>;

export function productName({ productTitle, productId }: SoldFields): string {
  return productTitle ?? productId;
}

/** With its price: "100 coins, €4.99". */
export function Sold({ record }: { readonly record: SoldFields & Pick<Purchase, 'price' | 'currency'> }) {
  return (
    <>
      <LongText text={productName(record)} />, <Money {...record} />
    </>
  );
}

type TrialFields = Pick<ListedSubscription, 'state' | 'price' | 'lastPeriodIndex'>;

/** Its time so far costs nothing. */
export function isInTrial({ state, price, lastPeriodIndex }: TrialFields): boolean {
  return price === 0 && lastPeriodIndex === 0 && (state === 'active' || state === 'autoPaymentOff');
}

type RenewalFields = Pick<ListedSubscription, 'renewalPrice' | 'currency' | 'period'>;

/** "€9.90 a month": what the next period costs. */
export function RenewalPrice({ of: { renewalPrice, currency, period } }: { readonly of: RenewalFields }) {
  return (
    <>
      <Money price={renewalPrice} currency={currency} /> {periodNames[period]}
    </>
  );
}

interface Sale {
  readonly packageName: string;
  readonly productId: string;
  readonly orderId?: string | undefined;
  readonly buyerId?: string | undefined;
}

export const appColumn: Column<Sale> = {
  title: 'App',
  cell: ({ packageName }) => <ShortName text={packageName} />,
};

/** Customers name orders. */
export const orderColumn: Column<Sale> = {
  title: 'Order',
  cell: ({ orderId }) => orderId && <ShortName text={orderId} />,
};

/** The app is shown unless the list is of one. */
export function saleColumns(ofApp: string | undefined): readonly Column<Sale>[] {
  return [
    ...(ofApp === undefined ? [appColumn] : []),
    { title: 'Product', cell: ({ productId }) => <ShortName text={productId} /> },
    orderColumn,
    {
      title: 'Buyer',
      cell: ({ buyerId }) =>
        buyerId && (
          <PageLink {...linkTo.buyer(buyerId)} inherit>
            <ShortName text={buyerId} />
          </PageLink>
        ),
    },
  ];
}
