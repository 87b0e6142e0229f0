// The table of the audit trail. Its fields are those of the contract's Action.

import * as contract from '@opentill/contract/actions.ts';
import * as fields from '@opentill/contract/fields.ts';
import { name, order } from './field-shapes.ts';
import { filled, optional, type Table } from './table.ts';

export const operatorAction = {
  table: 'operator_action',
  importMark: 'is_imported',
  key: ['order'],
  columns: {
    order: filled('action_order', 'bigint', order),
    time: filled('made_at', 'bigint', fields.Timestamp),
    operationId: filled('operation_id', 'text', contract.ActionOperation),
    madeBy: filled('made_by', 'text', contract.ActionAuthor),
    clientAddress: optional('client_address', 'text', name),
    requestId: optional('request_id', 'text', name),
    subject: optional('subject', 'text', contract.ActionSubject),
    detail: optional('detail', 'text', fields.text(0, 10_000, 'What was changed, for people.')),
    reasonCode: optional('reason_code', 'text', contract.ReasonCode),
    note: optional('note', 'text', contract.reasonFields.note),
    ticket: optional('ticket', 'text', contract.reasonFields.ticket),
  },
} as const satisfies Table;
