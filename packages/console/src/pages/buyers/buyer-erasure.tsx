// Erases a buyer: the id is typed again, and the call is repeated until nothing is left.

import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import type { GivenReason } from '../../parts/reason-fields.tsx';

interface BuyerErasureProps {
  readonly buyerId: string;
  readonly isOpen: boolean;
  /** Gets the number of rows that were changed. */
  readonly onDone: (rows: number) => void;
  readonly onClose: () => void;
}

export function BuyerErasure({ buyerId, isOpen, onDone, onClose }: BuyerErasureProps) {
  const form = useForm({ initialValues: { buyerId: '' } });
  const [rowsSoFar, setRowsSoFar] = useState(0);
  const erase = async ({ ticket }: GivenReason): Promise<number> => {
    let rows = 0;
    let isDone = false;
    while (!isDone) {
      const answer = await client.eraseBuyer({ buyerId, ticket });
      rows += answer.rows;
      isDone = answer.done;
      setRowsSoFar(rows);
    }
    return rows;
  };
  return (
    <ChangeDialog
      title="Erase a buyer"
      confirmLabel={`Erase ${buyerId}`}
      isDestructive
      isOpen={isOpen}
      asks="ticket"
      form={form}
      isBlocked={form.values.buyerId !== buyerId}
      effects={[
        'The buyer id is removed from purchases, subscriptions, events, deliveries and logged requests of all apps.',
        'Their developer payloads become empty.',
        'Purchases, prices and the audit trail stay. This cannot be undone.',
      ]}
      change={erase}
      onDone={(rows) => {
        form.reset();
        onDone(rows);
      }}
      onClose={onClose}
    >
      <TextInput
        autoComplete="off"
        name="buyerId"
        label="Type the buyer id again"
        data-autofocus
        required
        {...form.getInputProps('buyerId')}
      />
      {rowsSoFar > 0 && <Text size="sm">{rowsSoFar} rows erased so far.</Text>}
    </ChangeDialog>
  );
}
