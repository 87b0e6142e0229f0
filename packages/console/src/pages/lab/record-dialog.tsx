// Records a purchase. Its id is drawn before the call, so that a retry records nothing twice.

import { NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { labCall } from '../../api/lab.ts';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { useMoneyText } from '../../parts/money.tsx';
import { useLab } from './lab-context.ts';
import { newPurchaseId } from './lab-ids.ts';

interface RecordDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const newPurchase = () => ({ purchaseId: newPurchaseId(), buyerId: '', developerPayload: '' });

export function RecordDialog({ isOpen, onClose }: RecordDialogProps) {
  const { packageName, products, act } = useLab();
  const moneyText = useMoneyText();
  const [chosen, setChosen] = useState<string>();
  const form = useForm({ initialValues: newPurchase() });
  const { purchaseId, buyerId, developerPayload } = form.values;
  const productId = chosen ?? products[0]?.productId;
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
      form={form}
      isBlocked={productId === undefined}
      change={record}
      onDone={() => {
        form.setValues(newPurchase());
        onClose();
      }}
      onClose={onClose}
    >
      <Stack gap="sm">
        {products.length === 0 ? (
          <Text size="sm">The app has no products. Create one first.</Text>
        ) : (
          <NativeSelect
            label="Product"
            name="productId"
            data-autofocus
            value={productId}
            data={products.map(({ productId: id, type, price, currency }) => ({
              value: id,
              label: `${id}: ${type === 'subscription' ? 'subscription' : 'one-time'}, ${moneyText({ price, currency })}`,
            }))}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
        )}
        <TextInput
          name="purchaseId"
          label="Purchase id"
          autoComplete="off"
          required
          {...form.getInputProps('purchaseId')}
        />
        <TextInput name="buyerId" label="Buyer id" autoComplete="off" {...form.getInputProps('buyerId')} />
        <TextInput
          name="developerPayload"
          label="Developer payload"
          autoComplete="off"
          {...form.getInputProps('developerPayload')}
        />
      </Stack>
    </ChangeDialog>
  );
}
