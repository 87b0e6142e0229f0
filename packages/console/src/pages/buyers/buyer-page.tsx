// One buyer: the purchases in all apps, the totals of each currency, and the erasure of the personal data.

import { Alert, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Purchase } from '@opentill/client/operator';
import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Id } from '../../parts/id.tsx';
import { Money } from '../../parts/money.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { purchaseColumns } from '../purchases/purchase-columns.tsx';
import { BuyerErasure } from './buyer-erasure.tsx';

const { purchase, time, app, product, state, price } = purchaseColumns;

const purchasesKey = ['purchases', 'buyer'];

export function BuyerPage() {
  const { id: buyerId = '', pageToken } = useSearch({ from: '/frame/buyer' });
  const queryClient = useQueryClient();
  const [isErasing, { open, close }] = useDisclosure();
  const [erasedRows, setErasedRows] = useState<number>();
  const finish = (rows: number): void => {
    close();
    setErasedRows(rows);
    void queryClient.invalidateQueries();
  };
  if (buyerId === '') {
    return (
      <PageHeading title="Buyer">
        <Text size="sm">Open a buyer from a purchase, or find one by the buyer id.</Text>
      </PageHeading>
    );
  }
  return (
    <Stack gap="lg">
      <PageHeading
        title="Buyer"
        actions={<ActionButton operation="eraseBuyer" label="Erase" isEnding onAct={open} />}
      >
        <Id value={buyerId} what="buyer id" wraps />
      </PageHeading>
      {erasedRows !== undefined && (
        <Alert color="good" role="status">
          Erased: the personal data in {erasedRows} rows. The purchases are still there, without a buyer.
        </Alert>
      )}
      <Purchases buyerId={buyerId} pageToken={pageToken} />
      <BuyerErasure buyerId={buyerId} isOpen={isErasing} onDone={finish} onClose={close} />
    </Stack>
  );
}

interface PurchasesProps {
  readonly buyerId: string;
  readonly pageToken: string | undefined;
}

function Purchases({ buyerId, pageToken }: PurchasesProps) {
  return (
    <PageList
      label="Purchases of the buyer"
      fields={{}}
      search={{ id: buyerId, pageToken }}
      queryKey={purchasesKey}
      load={async (page, signal) => {
        const { purchases, nextPageToken } = await client.searchPurchases({ buyerId, ...page }, { signal });
        return { rows: purchases, nextPageToken };
      }}
      summary={(rows) => <Totals purchases={rows} />}
      keyOf={({ packageName, purchaseId }) => `${packageName} ${purchaseId}`}
      columns={[purchase, time, app, product, 'orderId', state, price, 'currency']}
      empty={<Empty text="No purchase has this buyer id." />}
      fileName="purchases-of-buyer"
    />
  );
}

/** The totals of the rows that are shown: a page never reads all rows. */
function Totals({ purchases }: { readonly purchases: readonly Purchase[] }) {
  const currencies = [...new Set(purchases.map(({ currency }) => currency))].toSorted();
  return (
    <Stack gap="xxs">
      {currencies.map((currency) => {
        const own = purchases.filter((purchase) => purchase.currency === currency);
        const voided = own.filter(({ purchaseState }) => purchaseState === 1);
        return (
          <Text key={currency} size="sm">
            {own.length} on this page: <Money price={sumOf(own)} currency={currency} />
            {voided.length > 0 && (
              <>
                , of which voided <Money price={sumOf(voided)} currency={currency} />
              </>
            )}
          </Text>
        );
      })}
    </Stack>
  );
}

function sumOf(purchases: readonly Purchase[]): number {
  return purchases.reduce((sum, { price }) => sum + price, 0);
}
