// The products of an app, and the dialog that creates or replaces one.

import { Button, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Product } from '@opentill/client/operator';
import { useQueryClient } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useObstacle } from '../../api/permission.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Id } from '../../parts/id.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Money, useMoneyText } from '../../parts/money.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { noFields } from './fields.ts';

type ProductType = Product['type'];

const typeNames: Readonly<Record<ProductType, string>> = {
  one_time: 'One-time',
  subscription: 'Subscription',
};

export function AppProducts() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const search = useSearch({ from: '/frame/apps/$packageName/products' });
  const [edited, setEdited] = useState<Product | 'new'>();
  const mayPut = useObstacle('putProduct') === undefined;
  return (
    <Stack gap="md" align="stretch">
      <ActionButton
        operation="putProduct"
        label="Create a product"
        onAct={() => setEdited('new')}
        style={{ alignSelf: 'flex-start' }}
      />
      <PageList
        label="Products"
        fields={noFields}
        search={search}
        queryKey={['products', packageName]}
        load={async (page, signal) => {
          const { products, nextPageToken } = await client.listProducts({ packageName, ...page }, { signal });
          return { rows: products, nextPageToken };
        }}
        keyOf={({ productId }) => productId}
        columns={[
          {
            title: 'Product',
            name: 'productId',
            cell: ({ productId }) => <Id value={productId} what="product id" wraps />,
          },
          { title: 'Title', name: 'title', cell: titleCell },
          { title: 'Type', name: 'type', cell: ({ type }) => typeNames[type] },
          { title: 'Changed', clock: 'real', time: ({ updatedAt }) => updatedAt },
          {
            title: 'Price',
            name: 'price',
            align: 'right',
            hasMoney: true,
            cell: (product) => <Money {...product} />,
          },
          'currency',
          {
            title: 'Change',
            cell: (product) => (
              <Button
                size="compact-xs"
                variant="default"
                disabled={!mayPut}
                onClick={() => setEdited(product)}
                aria-label={`Change ${product.productId}`}
              >
                Change
              </Button>
            ),
          },
        ]}
        empty={
          <Empty
            text="This app sells nothing yet. This call creates a product:"
            calls={[
              {
                method: 'PUT',
                path: `/apps/${packageName}/products/coins_100`,
                body: { type: 'one_time', price: 199, currency: 'EUR' },
              },
            ]}
          />
        }
        fileName={`products-of-${packageName}`}
      />
      {edited !== undefined && (
        <ProductDialog
          packageName={packageName}
          known={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Stack>
  );
}

const titleCell = ({ title }: Product) => (title === undefined ? '-' : <LongText text={title} />);

interface ProductDialogProps {
  readonly packageName: string;
  /** undefined for a new product. */
  readonly known: Product | undefined;
  readonly onClose: () => void;
}

function ProductDialog({ packageName, known, onClose }: ProductDialogProps) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: {
      productId: known?.productId ?? '',
      title: known?.title ?? '',
      type: known?.type ?? ('one_time' as ProductType),
      price: String(known?.price ?? ''),
      currency: known?.currency ?? '',
    },
  });
  const moneyText = useMoneyText();
  const { price, type } = form.values;
  const productId = form.values.productId.trim();
  const title = form.values.title.trim();
  return (
    <ChangeDialog
      title={known === undefined ? 'Create a product' : 'Change a product'}
      confirmLabel={`Save ${productId}`.trim()}
      isOpen
      form={form}
      isBlocked={productId === '' || price === ''}
      effects={known === undefined ? [] : ['Existing purchases keep their price and currency.']}
      change={async () => {
        await client.putProduct({
          packageName,
          productId,
          type,
          price: Number(price),
          currency: form.values.currency.trim(),
          ...(title !== '' && { title }),
        });
      }}
      onDone={() => {
        void queryClient.invalidateQueries({ queryKey: ['products', packageName] });
        onClose();
      }}
      onClose={onClose}
    >
      <TextInput
        name="productId"
        label="Product id"
        autoComplete="off"
        required
        disabled={known !== undefined}
        {...(known === undefined && { 'data-autofocus': true })}
        {...form.getInputProps('productId')}
      />
      <NativeSelect
        label="Type"
        description="It never changes."
        disabled={known !== undefined}
        data={Object.entries(typeNames).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('type')}
      />
      <TextInput name="title" label="Title" autoComplete="off" {...form.getInputProps('title')} />
      <TextInput
        name="price"
        type="number"
        label="Price"
        description={`A whole number, in the unit of the store: 1299 EUR is shown as ${moneyText({ price: 1299, currency: 'EUR' })}.`}
        min={0}
        step={1}
        autoComplete="off"
        required
        {...form.getInputProps('price')}
      />
      <TextInput
        name="currency"
        label="Currency"
        placeholder="EUR"
        autoComplete="off"
        required
        {...form.getInputProps('currency')}
      />
    </ChangeDialog>
  );
}
