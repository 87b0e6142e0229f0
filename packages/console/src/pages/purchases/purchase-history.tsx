// The history of a purchase: its events with their authors and the reason of the call, and the calls of operators.

import { Stack } from '@mantine/core';
import type { Action, PurchaseWithHistory } from '@opentill/client/operator';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type PurchaseKey, purchaseActionsQuery } from '../../api/purchase.ts';
import { Empty } from '../../parts/empty.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { joinedState, Panel } from '../../parts/panel.tsx';
import { reasonNames } from '../../parts/reason-fields.tsx';
import { Records } from '../../parts/records.tsx';

interface PurchaseHistoryProps {
  readonly of: PurchaseKey;
  readonly purchase: UseQueryResult<PurchaseWithHistory>;
}

export function PurchaseHistory({ of, purchase }: PurchaseHistoryProps) {
  const actions = useQuery(purchaseActionsQuery(of));
  const reasons = new Map(actions.data?.actions.map((action) => [action.requestId, action]));
  const rows = purchase.data?.history ?? [];
  return (
    <Panel title="History" note="oldest first" state={joinedState([purchase, actions])}>
      {rows.length === 0 ? (
        <Empty text="The events of this purchase are no longer retained." />
      ) : (
        <Records
          label="History"
          rows={rows}
          keyOf={({ requestId, type }) => `${requestId} ${type}`}
          columns={[
            { title: 'Time', clock: 'app', time: ({ time }) => time },
            { title: 'Event', cell: ({ type }) => type },
            { title: 'By', cell: ({ madeBy }) => <LongText text={madeBy} /> },
            { title: 'Reason', cell: ({ requestId }) => <GivenReason action={reasons.get(requestId)} /> },
          ]}
        />
      )}
    </Panel>
  );
}

/** Also shows calls that were rejected. */
export function PurchaseActions({ of }: { readonly of: PurchaseKey }) {
  const actions = useQuery(purchaseActionsQuery(of));
  const rows = actions.data?.actions ?? [];
  return (
    <Panel title="Operator calls" note="newest first" state={actions}>
      {rows.length === 0 ? (
        <Empty text="No operator has changed this purchase." />
      ) : (
        <Records
          label="Operator calls"
          rows={rows}
          keyOf={({ hash }) => hash}
          columns={[
            { title: 'Time', clock: 'real', time: ({ time }) => time },
            { title: 'Operation', cell: ({ operationId }) => operationId },
            { title: 'Outcome', cell: ({ outcome }) => outcome },
            { title: 'By', cell: ({ madeBy }) => <LongText text={madeBy} /> },
            { title: 'Reason', cell: (action) => <GivenReason action={action} /> },
          ]}
        />
      )}
    </Panel>
  );
}

/** The reason code, note and ticket of a call. */
export function GivenReason({ action }: { readonly action: Action | undefined }) {
  const { reasonCode, note, ticket } = action ?? {};
  if (reasonCode === undefined && note === undefined && ticket === undefined) return '-';
  return (
    <Stack gap="xxs">
      {reasonCode !== undefined && <span>{reasonNames[reasonCode]}</span>}
      {note !== undefined && <LongText text={note} />}
      {ticket !== undefined && (
        <span>
          Ticket <LongText text={ticket} />
        </span>
      )}
    </Stack>
  );
}
