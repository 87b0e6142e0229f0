// Why a change is made: a code of the closed list of the API, a note and a ticket.

import { NativeSelect, Stack, Textarea } from '@mantine/core';
import type { Action } from '@opentill/client/operator';
import { ChangeField } from './change-field.tsx';
import { useFieldError } from './field-errors.ts';

type ReasonCode = NonNullable<Action['reasonCode']>;

/** The reason as a call takes it. */
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

/** Leaves out what is empty, which the API rejects. */
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
  readonly reason: TypedReason;
  readonly onChange: (reason: TypedReason) => void;
}

export function ReasonFields({ asks, reason, onChange }: ReasonFieldsProps) {
  const codeError = useFieldError('reasonCode');
  const noteError = useFieldError('note');
  return (
    <Stack gap="sm">
      {asks === 'reason' && (
        <>
          <NativeSelect
            label="Reason"
            name="reasonCode"
            required
            data-autofocus
            error={codeError}
            value={reason.reasonCode}
            data={[
              { value: '', label: 'Choose a reason' },
              ...Object.entries(reasonNames).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(event) =>
              onChange({ ...reason, reasonCode: event.currentTarget.value as TypedReason['reasonCode'] })
            }
          />
          <Textarea
            label="Note"
            name="note"
            rows={3}
            required={reason.reasonCode === 'other'}
            error={noteError}
            value={reason.note}
            onChange={(event) => onChange({ ...reason, note: event.currentTarget.value })}
          />
        </>
      )}
      <ChangeField
        name="ticket"
        label="Ticket"
        value={reason.ticket}
        onChange={(ticket) => onChange({ ...reason, ticket })}
      />
    </Stack>
  );
}
