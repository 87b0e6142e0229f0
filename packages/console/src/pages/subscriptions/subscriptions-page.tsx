// The subscriptions of all apps, by state, product, buyer and next payment.

import { Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { appInstantOf } from '../../parts/app-instant.ts';
import { AppLinks } from '../../parts/app-links.tsx';
import { Empty } from '../../parts/empty.tsx';
import type { Search } from '../../parts/filter-fields.ts';
import { PageHeading } from '../../parts/page-heading.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { isProduction } from '../../runtime/page.ts';
import { subscriptionColumns } from './subscription-columns.tsx';
import { subscriptionsFields } from './subscriptions-fields.ts';

export function SubscriptionsPage() {
  const search = useSearch({ from: '/frame/subscriptions' });
  const { packageName, state, nextPaymentBefore } = search;
  const lacksApp = !isProduction && packageName === undefined && (state ?? nextPaymentBefore) !== undefined;
  return (
    <Stack gap="lg">
      <PageHeading title="Subscriptions" />
      {lacksApp ? (
        <AppLinks
          fields={subscriptionsFields}
          search={search}
          text="Choose an app: each app of the sandbox has a clock of its own, so states and payments of all apps cannot be compared."
        />
      ) : (
        <SubscriptionList search={search} />
      )}
    </Stack>
  );
}

function SubscriptionList({ search }: { readonly search: Search }) {
  const { pageToken: _pageToken, nextPaymentBefore: before, ...filters } = search;
  return (
    <PageList
      label="Subscriptions"
      fields={subscriptionsFields}
      search={search}
      queryKey={['subscriptions']}
      load={async (page, signal) => {
        const nextPaymentBefore = await appInstantOf(before, filters['packageName']);
        const asked = { ...filters, nextPaymentBefore, ...page } as Parameters<
          typeof client.listSubscriptions
        >[0];
        const { subscriptions, nextPageToken } = await client.listSubscriptions(asked, { signal });
        return { rows: subscriptions, nextPageToken };
      }}
      keyOf={({ packageName, firstPurchaseId }) => `${packageName} ${firstPurchaseId}`}
      columns={subscriptionColumns}
      empty={
        <Empty
          text="There are no subscriptions yet. Record the purchase of a subscription product to start one:"
          calls={[
            {
              method: 'POST',
              path: '/apps/com.example.game/purchases',
              body: { productId: 'monthly' },
            },
          ]}
        />
      }
      fileName="subscriptions"
    />
  );
}
