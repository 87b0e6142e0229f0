// One buyer: the subscriptions and purchases in all apps and what happened to them, the totals of each currency, and the
// erasure of the personal data.

import { Alert, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Purchase } from '@opentill/client/operator';
import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ActionButton } from '../../parts/action-button.tsx';
import { Id } from '../../parts/id.tsx';
import { Money } from '../../parts/money.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { PurchasesList } from '../purchases/purchases-list.tsx';
import { BuyerErasure } from './buyer-erasure.tsx';
import { BuyerStory } from './buyer-story.tsx';
import { BuyerSubscriptions } from './buyer-subscriptions.tsx';

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
      <BuyerSubscriptions buyerId={buyerId} />
      <BuyerStory buyerId={buyerId} />
      <PurchasesList
        buyerId={buyerId}
        fields={{}}
        search={{ id: buyerId, pageToken }}
        summary={(purchases) => <Totals purchases={purchases} />}
      />
      <BuyerErasure buyerId={buyerId} isOpen={isErasing} onDone={finish} onClose={close} />
    </Stack>
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
