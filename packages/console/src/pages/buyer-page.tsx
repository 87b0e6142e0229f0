// One buyer: what the buyer has in all apps, with the totals of each currency, and the erasure of the personal data.

import { Alert, Button, Stack, Text } from '@mantine/core';
import type { ListedSubscription, Purchase } from '@opentill/client/operator';
import { idsIn, withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { client } from '../api/client.ts';
import { ChangeButton } from '../parts/change-button.tsx';
import { Field } from '../parts/change-fields.tsx';
import { Empty } from '../parts/empty.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { linkTo, PageLink, type PageTarget } from '../parts/page-link.tsx';
import { Panel } from '../parts/panel.tsx';
import { RecordHeading } from '../parts/record-heading.tsx';
import { type Column, Records } from '../parts/records.tsx';
import { PurchaseState, SubscriptionState } from '../parts/states.tsx';
import { ShortName } from '../values/long-text.tsx';
import { Money } from '../values/money.tsx';
import { counted } from '../values/quantity-text.ts';

export function BuyerPage() {
  const { id: buyerId = '' } = useSearch({ from: '/frame/buyer' });
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
      <RecordHeading windowTitle={buyerId}>
        <EraseButton buyerId={buyerId} onDone={setErasedRows} />
      </RecordHeading>
      {erasedRows !== undefined && (
        <Alert color="good" role="status">
          Erased: the personal data in {erasedRows} rows. The purchases are still there, without a buyer.
        </Alert>
      )}
      <Bought buyerId={buyerId} />
    </Stack>
  );
}

/** A buyer with more is a test, or resells; the page says that there is more. */
const readMax = { pages: 5, pageSize: 200 } as const;

type PageOptions = {
  readonly buyerId: string;
  readonly pageSize: number;
  readonly pageToken: string | undefined;
};

/** The rows of a list of the buyer, newest first. */
async function readAll<Row>(
  buyerId: string,
  read: (page: PageOptions) => Promise<{ readonly rows: readonly Row[]; readonly nextPageToken?: string }>,
) {
  const rows: Row[] = [];
  let pageToken: string | undefined;
  for (let count = 0; count < readMax.pages; count += 1) {
    const page = await read({ buyerId, pageSize: readMax.pageSize, pageToken });
    rows.push(...page.rows);
    pageToken = page.nextPageToken;
    if (pageToken === undefined) break;
  }
  return { rows, isCut: pageToken !== undefined };
}

async function readBought(buyerId: string, signal: AbortSignal) {
  const purchases = await readAll(buyerId, async (page) => {
    const { purchases: rows, ...rest } = await client.listPurchases(page, { signal });
    return { rows, ...rest };
  });
  const subscriptions = await readAll(buyerId, async (page) => {
    const { subscriptions: rows, ...rest } = await client.listSubscriptions(page, { signal });
    return { rows, ...rest };
  });
  return { purchases, subscriptions };
}

/** A one-time purchase, or a subscription with all its months. */
interface Holding {
  readonly sale: Purchase | ListedSubscription;
  readonly id: string;
  readonly time: number;
  readonly target: PageTarget;
  readonly state: ReactNode;
}

const purchaseHolding = (purchase: Purchase): Holding => ({
  ...{ sale: purchase, id: purchase.purchaseId, time: purchase.purchaseTime },
  target: linkTo.purchase(purchase),
  state: <PurchaseState purchase={purchase} />,
});

const subscriptionHolding = (subscription: ListedSubscription): Holding => ({
  ...{ sale: subscription, id: subscription.firstPurchaseId, time: subscription.startTime },
  target: linkTo.subscription(subscription),
  state: <SubscriptionState state={subscription.state} />,
});

const columns: readonly Column<Holding>[] = [
  {
    title: 'Product',
    cell: ({ sale, target }) => (
      <PageLink {...target} inherit>
        <ShortName text={sale.productId} />
      </PageLink>
    ),
  },
  { title: 'Time', clock: 'app', name: 'time' },
  {
    title: 'Order',
    cell: ({ sale: { orderId = '-' } }) => (orderId === '-' ? orderId : <ShortName text={orderId} />),
  },
  { title: 'App', cell: ({ sale }) => <ShortName text={sale.packageName} /> },
  { title: 'State', cell: ({ state }) => state },
  { title: 'Price', align: 'right', isClear: true, cell: ({ sale }) => <Money {...sale} /> },
];

/** The rows that are shown at first. */
const shownMax = 50;

function Bought({ buyerId }: { readonly buyerId: string }) {
  const [isWhole, setWhole] = useState(false);
  const bought = useQuery({
    queryKey: ['bought', buyerId],
    queryFn: ({ signal }) => readBought(buyerId, signal),
  });
  const { purchases, subscriptions } = bought.data ?? {};
  const holdings = [
    ...(purchases?.rows ?? []).filter(({ type }) => type === 'one_time').map(purchaseHolding),
    ...(subscriptions?.rows ?? []).map(subscriptionHolding),
  ].toSorted((left, right) => right.time - left.time);
  const ids = idsIn({ id: buyerId });
  if (bought.isSuccess && holdings.length === 0 && ids !== undefined)
    return <Navigate to="/buyer" search={ids} replace />;
  return (
    <Panel title="Purchases and subscriptions" note="in all apps" state={bought}>
      {holdings.length === 0 ? (
        <Empty text="No purchase has this buyer id." />
      ) : (
        <>
          <Totals purchases={purchases?.rows ?? []} isCut={purchases?.isCut === true} />
          <Records
            label="Purchases and subscriptions"
            rows={isWhole ? holdings : holdings.slice(0, shownMax)}
            keyOf={({ sale, id }) => `${sale.packageName} ${id}`}
            columns={columns}
          />
          {!isWhole && holdings.length > shownMax && (
            <Button variant="default" onClick={() => setWhole(true)} style={{ alignSelf: 'flex-start' }}>
              Show all {holdings.length}
            </Button>
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
        for {counted(rows.length - voided.length, 'purchase')}, months included
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

/** The id is typed again, and the call is repeated until nothing is left. */
function EraseButton({ buyerId, onDone }: EraseButtonProps) {
  const [rowsSoFar, setRowsSoFar] = useState(0);
  return (
    <ChangeButton
      operation="eraseBuyer"
      label="Erase"
      isInMenu
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
