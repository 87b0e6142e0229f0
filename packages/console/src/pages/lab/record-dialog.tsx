// Records a purchase. Its id is drawn before the call, so that a retry records nothing twice.

import { NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { labCall } from '../../api/lab.ts';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { ChangeField } from '../../parts/change-field.tsx';
import { useLab } from './lab-context.ts';
import { newPurchaseId } from './lab-ids.ts';

interface RecordDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

interface TypedPurchase {
  readonly productId: string | undefined;
  readonly purchaseId: string;
  readonly buyerId: string;
  readonly developerPayload: string;
}

const newPurchase = (productId?: string): TypedPurchase => ({
  productId,
  purchaseId: newPurchaseId(),
  buyerId: '',
  developerPayload: '',
});

export function RecordDialog({ isOpen, onClose }: RecordDialogProps) {
  const { packageName, products, act } = useLab();
  const [typed, setTyped] = useState(newPurchase);
  const { purchaseId, buyerId, developerPayload } = typed;
  const productId = typed.productId ?? products[0]?.productId;
  const change = (field: Partial<TypedPurchase>): void => setTyped({ ...typed, ...field });
  const record = () =>
    act(
      labCall('recordPurchase', {
        packageName,
        productId: productId ?? '',
        purchaseId,
        ...(buyerId !== '' && { buyerId }),
        ...(developerPayload !== '' && { developerPayload }),
      }),
    );
  return (
    <ChangeDialog
      title="Record a purchase"
      isOpen={isOpen}
      confirmLabel={`Record ${purchaseId}`}
      isBlocked={productId === undefined}
      change={record}
      onDone={() => {
        setTyped(newPurchase(productId));
        onClose();
      }}
      onClose={onClose}
    >
      <Stack gap="sm">
        {products.length === 0 ? (
          <Text size="sm">The app has no products. Create one first, or run a scenario, which does.</Text>
        ) : (
          <NativeSelect
            label="Product"
            name="productId"
            data-autofocus
            value={productId}
            data={products.map(({ productId: id, type, price, currency }) => ({
              value: id,
              label: `${id}: ${type === 'subscription' ? 'subscription' : 'one-time'}, ${price} ${currency}`,
            }))}
            onChange={(event) => change({ productId: event.currentTarget.value })}
          />
        )}
        <ChangeField
          name="purchaseId"
          label="Purchase id"
          required
          value={purchaseId}
          onChange={(value) => change({ purchaseId: value })}
        />
        <ChangeField
          name="buyerId"
          label="Buyer id"
          value={buyerId}
          onChange={(value) => change({ buyerId: value })}
        />
        <ChangeField
          name="developerPayload"
          label="Developer payload"
          value={developerPayload}
          onChange={(value) => change({ developerPayload: value })}
        />
      </Stack>
    </ChangeDialog>
  );
}
