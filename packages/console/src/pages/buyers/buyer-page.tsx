// One buyer: the subscriptions and purchases in all apps, and the erasure of the personal data.

import { Alert, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ActionButton } from '../../parts/action-button.tsx';
import { Id } from '../../parts/id.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { PurchasesList } from '../purchases/purchases-list.tsx';
import { BuyerErasure } from './buyer-erasure.tsx';
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
      <PurchasesList buyerId={buyerId} fields={{}} search={{ id: buyerId, pageToken }} />
      <BuyerErasure buyerId={buyerId} isOpen={isErasing} onDone={finish} onClose={close} />
    </Stack>
  );
}
