// The products of an app, and the dialog that creates or replaces one.

import { Group, Stack } from '@mantine/core';
import type { Product } from '@opentill/client/operator';
import { useParams, useSearch } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { noFields } from '../../filters/page-filters.ts';
import { ChangeButton } from '../../parts/change-button.tsx';
import { Choice, Field, PriceField, type Values } from '../../parts/change-fields.tsx';
import { Empty } from '../../parts/empty.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { Id } from '../../values/id.tsx';
import { LongText } from '../../values/long-text.tsx';
import { Money, usePriceUnit } from '../../values/money.tsx';
import { priceInput, typedPrice } from '../../values/money-text.ts';
import { periodNames } from '../../values/period.ts';

type ProductType = Product['type'];

const typeNames: Readonly<Record<ProductType, string>> = {
  oneTime: 'One-time',
  subscription: 'Subscription',
};

export function AppProducts() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const search = useSearch({ from: '/frame/apps/$packageName/products' });
  const path = `/apps/${packageName}/products/coins_100`;
  return (
    <Stack gap="md" align="stretch">
      <Group>
        <ProductButton packageName={packageName} />
      </Group>
      <PageList
        label="Products"
        fields={noFields}
        search={search}
        rows="products"
        load={(client, page, options) => client.listProducts({ packageName, ...page }, options)}
        keyOf={({ productId }) => productId}
        columns={[
          {
            title: 'Product',
            cell: ({ productId }) => <Id value={productId} what="product id" wraps />,
          },
          { title: 'Title', cell: ({ title }) => title && <LongText text={title} /> },
          {
            title: 'Type',
            cell: ({ type, period }) =>
              period === undefined ? typeNames[type] : `${typeNames[type]}, ${periodNames[period]}`,
          },
          { title: 'Changed', clock: 'real', time: ({ updatedAt }) => updatedAt },
          {
            title: 'Price',
            align: 'right',
            isClear: true,
            cell: (product) => <Money {...product} />,
          },
          {
            title: 'Change',
            cell: (product) => <ProductButton packageName={packageName} known={product} />,
          },
        ]}
        empty={
          <Empty
            text="This app sells nothing yet. This call creates a product:"
            calls={[{ method: 'PUT', path, body: { type: 'oneTime', price: 199, currency: 'EUR' } }]}
          />
        }
        fileName={`products-of-${packageName}`}
      />
    </Stack>
  );
}

interface ProductButtonProps {
  readonly packageName: string;
  /** undefined for a new product. */
  readonly known?: Product;
}

function ProductButton({ packageName, known }: ProductButtonProps) {
  const unit = usePriceUnit();
  const priceOf = ({ price = '', currency = '' }: Values) => typedPrice(price, currency, unit);
  const isNew = known === undefined;
  return (
    <ChangeButton
      operation="putProduct"
      label={isNew ? 'Create a product' : 'Change'}
      ariaLabel={isNew ? undefined : `Change ${known.productId}`}
      variant={isNew ? 'filled' : 'default'}
      size={isNew ? 'xs' : 'compact-xs'}
      title={isNew ? 'Create a product' : 'Change a product'}
      confirmLabel={({ productId }) => `Save ${productId}`.trim()}
      effects={isNew ? [] : ['Existing purchases keep their price and currency.']}
      initialValues={{
        productId: known?.productId ?? '',
        title: known?.title ?? '',
        type: known?.type ?? 'oneTime',
        period: known?.period ?? 'P1M',
        price: known === undefined ? '' : priceInput(known, unit),
        currency: known?.currency ?? '',
      }}
      isBlocked={(values) => priceOf(values) === undefined}
      change={(values) => {
        const { productId = '', title, type, period, currency = '' } = values;
        return client.putProduct({
          ...{ packageName, productId, price: priceOf(values) ?? 0, currency },
          type: type as ProductType,
          period: type === 'subscription' ? (period as Product['period']) : undefined,
          title: title || undefined,
        });
      }}
    >
      <Field name="productId" label="Product id" required disabled={!isNew} data-autofocus={isNew} />
      <Choice
        name="type"
        label="Type"
        description="It never changes."
        disabled={!isNew}
        choices={typeNames}
      />
      <Choice
        name="period"
        label="Paid for"
        description="Of a subscription. It never changes."
        disabled={!isNew}
        choices={periodNames}
      />
      <Field name="title" label="Title" />
      <Field name="currency" label="Currency" placeholder="EUR" required />
      <PriceField />
    </ChangeButton>
  );
}
