// One buyer: the subscriptions and purchases in all apps, and the erasure of the personal data.

import { Alert, Stack, Text } from '@mantine/core';
import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { callQuery, client } from '../api/client.ts';
import { ChangeButton } from '../parts/change-button.tsx';
import { Field } from '../parts/change-fields.tsx';
import { Empty } from '../parts/empty.tsx';
import { Id } from '../parts/id.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { Panel } from '../parts/panel.tsx';
import { Records } from '../parts/records.tsx';
import { PurchasesList } from './purchases/purchases-page.tsx';
import { subscriptionColumns } from './subscriptions/subscriptions-page.tsx';

export function BuyerPage() {
  const { id: buyerId = '', pageToken } = useSearch({ from: '/frame/buyer' });
  const [erasedRows, setErasedRows] = useState<number>();
  if (buyerId === '') {
    return (
      <PageHeading title="Buyer">
        <Text size="sm">Open a buyer from a purchase, or find one by the buyer id.</Text>
      </PageHeading>
    );
  }
  return (
    <Stack gap="lg">
      <PageHeading title="Buyer" actions={<EraseButton buyerId={buyerId} onDone={setErasedRows} />}>
        <Id value={buyerId} what="buyer id" wraps />
      </PageHeading>
      {erasedRows !== undefined && (
        <Alert color="good" role="status">
          Erased: the personal data in {erasedRows} rows. The purchases are still there, without a buyer.
        </Alert>
      )}
      <BuyerSubscriptions buyerId={buyerId} />
      <PurchasesList buyerId={buyerId} fields={{}} search={{ id: buyerId, pageToken }} />
    </Stack>
  );
}

function BuyerSubscriptions({ buyerId }: { readonly buyerId: string }) {
  const state = useQuery(callQuery('listSubscriptions', { buyerId, pageSize: 50 }));
  const { subscriptions = [], nextPageToken } = state.data ?? {};
  return (
    <Panel title="Subscriptions" state={state}>
      {subscriptions.length === 0 ? (
        <Empty text="The buyer has no subscription." />
      ) : (
        <Records
          label="Subscriptions of the buyer"
          rows={subscriptions}
          keyOf={({ packageName, firstPurchaseId }) => `${packageName} ${firstPurchaseId}`}
          columns={subscriptionColumns}
        />
      )}
      {nextPageToken !== undefined && (
        <PageLink to="/subscriptions" search={{ buyerId }}>
          All subscriptions of the buyer
        </PageLink>
      )}
    </Panel>
  );
}

interface EraseButtonProps {
  readonly buyerId: string;
  /** Gets the number of rows that were changed. */
  readonly onDone: (rows: number) => void;
}

/** The id is typed again, and the call is repeated until nothing is left. */
function EraseButton({ buyerId, onDone }: EraseButtonProps) {
  const [rowsSoFar, setRowsSoFar] = useState(0);
  return (
    <ChangeButton
      operation="eraseBuyer"
      label="Erase"
      title="Erase a buyer"
      confirmLabel={`Erase ${buyerId}`}
      isDestructive
      asks="ticket"
      initialValues={{ buyerId: '' }}
      isBlocked={(values) => values['buyerId'] !== withoutSurroundings(buyerId)}
      effects={[
        'The buyer id is removed from purchases, subscriptions, events, deliveries and logged requests of all apps.',
        'Their developer payloads become empty.',
        'Purchases, prices and the audit trail stay. This cannot be undone.',
      ]}
      change={async (_values, { ticket }) => {
        let rows = 0;
        let isDone = false;
        while (!isDone) {
          const erased = await client.eraseBuyer({ buyerId, ticket });
          rows += erased.rows;
          isDone = erased.done;
          setRowsSoFar(rows);
        }
        return rows;
      }}
      onDone={onDone}
    >
      <Field name="buyerId" label="Type the buyer id again" required data-autofocus />
      {rowsSoFar > 0 && <Text size="sm">{rowsSoFar} rows erased so far.</Text>}
    </ChangeButton>
  );
}
