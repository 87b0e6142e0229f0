// One buyer: what the buyer has in all apps, with the totals of each currency, and the erasure of the personal data.

import { Alert, Stack, Text } from '@mantine/core';
import type { ListedSubscription, OpenTillError, Purchase } from '@opentill/client/operator';
import { idsIn, withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { callQuery, client, hasStatus } from '../api/client.ts';
import { useObstacle } from '../api/session.ts';
import { ChangeButton } from '../parts/change-button.tsx';
import { Field } from '../parts/change-fields.tsx';
import { Empty } from '../parts/empty.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { linkTo, PageLink } from '../parts/page-link.tsx';
import { joinedState, Panel } from '../parts/panel.tsx';
import { type Column, Records } from '../parts/records.tsx';
import { appColumn, orderColumn } from '../parts/sold.tsx';
import { PurchaseState, SubscriptionState } from '../parts/states.tsx';
import { ShortName } from '../values/long-text.tsx';
import { Money } from '../values/money.tsx';
import { counted } from '../values/quantity-text.ts';

export function BuyerPage() {
  const { id: buyerId = '' } = useSearch({ from: '/frame/buyer' });
  const [erasedRows, setErasedRows] = useState<number>();
  if (buyerId === '') {
    return <PageHeading title="Buyer" note="Open a buyer from a purchase, or find one by the buyer id." />;
  }
  return (
    <Stack gap="lg">
      <PageHeading
        title={buyerId}
        isRecord
        actions={<EraseButton buyerId={buyerId} onDone={setErasedRows} />}
      />
      {erasedRows !== undefined && (
        <Alert color="good" role="status">
          Erased: the personal data in {erasedRows} rows. The purchases are still there, without a buyer.
        </Alert>
      )}
      <Bought buyerId={buyerId} />
    </Stack>
  );
}

/** A one-time purchase, or a subscription with all its periods. */
type Holding = Purchase | ListedSubscription;

const timeOf = (sale: Holding): number => ('purchaseTime' in sale ? sale.purchaseTime : sale.startTime);
const idOf = (sale: Holding): string => ('purchaseId' in sale ? sale.purchaseId : sale.firstPurchaseId);

const columns: readonly Column<Holding>[] = [
  {
    title: 'Product',
    cell: (sale) => (
      <PageLink {...('purchaseId' in sale ? linkTo.purchase(sale) : linkTo.subscription(sale))} inherit>
        <ShortName text={sale.productId} />
      </PageLink>
    ),
  },
  { title: 'Time', clock: 'app', time: timeOf },
  orderColumn,
  appColumn,
  {
    title: 'State',
    cell: (sale) =>
      'state' in sale ? <SubscriptionState subscription={sale} /> : <PurchaseState purchase={sale} />,
  },
  { title: 'Price', align: 'right', isClear: true, cell: (sale) => <Money {...sale} /> },
];

/** A buyer with more is a test, or resells; the page says that there is more. */
const pageSize = 200;

function Bought({ buyerId }: { readonly buyerId: string }) {
  const purchases = useQuery(callQuery('listPurchases', { buyerId, pageSize }));
  const subscriptions = useQuery(callQuery('listSubscriptions', { buyerId, pageSize }));
  const bought = joinedState([purchases, subscriptions]);
  const all = purchases.data?.purchases ?? [];
  const holdings = [
    ...all.filter(({ type }) => type === 'oneTime'),
    ...(subscriptions.data?.subscriptions ?? []),
  ].toSorted((left, right) => timeOf(right) - timeOf(left));
  const ids = idsIn({ id: buyerId });
  if (bought.data !== undefined && holdings.length === 0 && ids !== undefined)
    return <Navigate to="/buyer" search={ids} replace />;
  return (
    <Panel title="Purchases and subscriptions" note="in all apps" state={bought}>
      {holdings.length === 0 ? (
        <Empty text="No purchase has this buyer id." />
      ) : (
        <>
          <Totals purchases={all} isCut={purchases.data?.nextPageToken !== undefined} />
          <Records
            label="Bought"
            rows={holdings}
            keyOf={(sale) => `${sale.packageName} ${idOf(sale)}`}
            columns={columns}
          />
          {purchases.data?.nextPageToken !== undefined && (
            <PageLink to="/purchases" search={{ id: buyerId }}>
              All purchases of the buyer
            </PageLink>
          )}
        </>
      )}
    </Panel>
  );
}

interface TotalsProps {
  readonly purchases: readonly Purchase[];
  /** There are older ones. */
  readonly isCut: boolean;
}

/** A line for each currency. */
function Totals({ purchases, isCut }: TotalsProps) {
  const sumOf = (rows: readonly Purchase[]) => rows.reduce((sum, { price }) => sum + price, 0);
  return [...Map.groupBy(purchases, ({ currency }) => currency)].map(([currency, rows]) => {
    const voided = rows.filter(({ purchaseState }) => purchaseState === 1);
    return (
      <Text key={currency} size="sm">
        <b>
          <Money price={sumOf(rows) - sumOf(voided)} currency={currency} />
        </b>{' '}
        for {counted(rows.length - voided.length, 'purchase')}, periods included
        {voided.length > 0 && (
          <>
            ; <Money price={sumOf(voided)} currency={currency} /> voided
          </>
        )}
        {isCut && '; older ones are not counted'}
      </Text>
    );
  });
}

interface EraseButtonProps {
  readonly buyerId: string;
  /** Gets the number of rows that were changed. */
  readonly onDone: (rows: number) => void;
}

/** The server says first whether it would refuse. The id is typed again, and the call is repeated until nothing is left. */
function EraseButton({ buyerId, onDone }: EraseButtonProps) {
  const [rowsSoFar, setRowsSoFar] = useState(0);
  const isForbidden = useObstacle('eraseBuyer') !== undefined;
  const { error } = useQuery({
    ...callQuery('eraseBuyer', { buyerId, checkOnly: true }),
    enabled: !isForbidden,
  });
  const refusal = hasStatus(error, 409) ? (error as OpenTillError).problem?.detail : undefined;
  return (
    <ChangeButton
      operation="eraseBuyer"
      label="Erase"
      obstacle={refusal}
      isInMenu
      title="Erase a buyer"
      confirmLabel={`Erase ${buyerId}`}
      isDestructive
      asks="ticket"
      initialValues={{ buyerId: '' }}
      isBlocked={(values) => refusal !== undefined || values['buyerId'] !== withoutSurroundings(buyerId)}
      effects={[
        ...(refusal === undefined ? [] : [refusal]),
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
