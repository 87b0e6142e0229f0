// The columns of lists of subscriptions.

import { Text } from '@mantine/core';
import type { ListedSubscription } from '@opentill/client/operator';
import { Id } from '../../parts/id.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ShortName } from '../../parts/long-text.tsx';
import { Money } from '../../parts/money.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import type { Column } from '../../parts/records.tsx';
import { SubscriptionState } from '../../parts/subscription-state.tsx';
import { SmallLifePicture } from '../../pictures/small-life.tsx';

export const subscriptionColumns: readonly Column<ListedSubscription>[] = [
  {
    title: 'Subscription',
    name: 'firstPurchaseId',
    cell: (row) => (
      <Id value={row.firstPurchaseId} what="first purchase id" link={linkTo.subscription(row)} />
    ),
  },
  { title: 'App', name: 'packageName', cell: ({ packageName }) => <ShortName text={packageName} /> },
  { title: 'Product', name: 'productId', cell: ({ productId }) => <ShortName text={productId} /> },
  'buyerId',
  { title: 'Months', isWide: true, cell: (row) => <SmallLifePicture subscription={row} /> },
  { title: 'State', name: 'state', cell: ({ state }) => <SubscriptionState state={state} /> },
  'startTime',
  'expiryTime',
  { title: 'Next payment', clock: 'app', name: 'nextPaymentTime', isClear: true, cell: nextPaymentCell },
  { name: 'months', value: ({ lastPeriodIndex }) => lastPeriodIndex + 1 },
  { title: 'Price', name: 'price', align: 'right', hasMoney: true, cell: (row) => <Money {...row} /> },
  'currency',
];

function nextPaymentCell({ nextPaymentTime, expiryTime, state }: ListedSubscription) {
  if (nextPaymentTime !== undefined) {
    return (
      <>
        due <Instant ms={nextPaymentTime} />
      </>
    );
  }
  return (
    <Text size="sm" c="dimmed" component="span">
      {state === 'auto_payment_off' ? 'ends' : 'ended'} <Instant ms={expiryTime} />
    </Text>
  );
}
