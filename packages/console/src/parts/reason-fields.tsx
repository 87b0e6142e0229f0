// Why a change is made: a code of the closed list of the API, a note and a ticket.

import { NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Action } from '@opentill/client/operator';

type ReasonCode = NonNullable<Action['reasonCode']>;

/** The reason in the form that calls accept. */
export interface GivenReason {
  readonly reasonCode?: ReasonCode;
  readonly note?: string;
  readonly ticket?: string;
}

interface TypedReason {
  readonly reasonCode: ReasonCode | '';
  readonly note: string;
  readonly ticket: string;
}

export const emptyReason: TypedReason = { reasonCode: '', note: '', ticket: '' };

/** Omits empty fields, which the API rejects. */
export function reasonOf({ reasonCode, note, ticket }: TypedReason): GivenReason {
  return {
    ...(reasonCode !== '' && { reasonCode }),
    ...(note.trim() !== '' && { note: note.trim() }),
    ...(ticket.trim() !== '' && { ticket: ticket.trim() }),
  };
}

export const reasonNames: Readonly<Record<ReasonCode, string>> = {
  customerRequest: 'Customer request',
  duplicate: 'Duplicate purchase',
  fraud: 'Fraud',
  chargeback: 'Chargeback',
  malfunction: 'Malfunction',
  test: 'Test',
  other: 'Other (needs a note)',
};

interface ReasonFieldsProps {
  readonly asks: 'reason' | 'ticket';
  readonly form: UseFormReturnType<TypedReason>;
}

export function ReasonFields({ asks, form }: ReasonFieldsProps) {
  return (
    <Stack gap="sm">
      {asks === 'reason' && (
        <>
          <NativeSelect
            label="Reason"
            name="reasonCode"
            required
            data-autofocus
            data={[
              { value: '', label: 'Choose a reason' },
              ...Object.entries(reasonNames).map(([value, label]) => ({ value, label })),
            ]}
            {...form.getInputProps('reasonCode')}
          />
          <Textarea
            label="Note"
            name="note"
            rows={3}
            required={form.values.reasonCode === 'other'}
            {...form.getInputProps('note')}
          />
        </>
      )}
      <TextInput label="Ticket" name="ticket" autoComplete="off" {...form.getInputProps('ticket')} />
    </Stack>
  );
}
