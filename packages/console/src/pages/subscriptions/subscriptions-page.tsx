// The subscriptions of all apps, by state, product, buyer and next payment.

import { Alert, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { appInstantOf } from '../../parts/app-instant.ts';
import { AppLinks } from '../../parts/app-links.tsx';
import { Empty } from '../../parts/empty.tsx';
import type { Search } from '../../parts/filter-fields.ts';
import { PageHeading } from '../../parts/page-heading.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { isProduction } from '../../runtime/page.ts';
import { CancelAll } from './subscription-cancel-all.tsx';
import { subscriptionColumns } from './subscription-columns.tsx';
import { subscriptionsFields } from './subscriptions-fields.ts';

export function SubscriptionsPage() {
  const search = useSearch({ from: '/frame/subscriptions' });
  const queryClient = useQueryClient();
  const [isCancelling, { open, close }] = useDisclosure();
  const [done, setDone] = useState<string>();
  const finish = (text: string): void => {
    close();
    setDone(text);
    void queryClient.invalidateQueries();
  };
  const { packageName, state, nextPaymentBefore } = search;
  const lacksApp = !isProduction && packageName === undefined && (state ?? nextPaymentBefore) !== undefined;
  return (
    <Stack gap="lg">
      <PageHeading
        title="Subscriptions"
        actions={
          <ActionButton
            operation="cancelSubscriptions"
            label="Cancel all subscriptions of an app"
            isEnding
            onAct={open}
          />
        }
      />
      {done !== undefined && (
        <Alert color="good" role="status">
          {done}
        </Alert>
      )}
      {lacksApp ? (
        <AppLinks
          fields={subscriptionsFields}
          search={search}
          text="Choose an app: each app of the sandbox has a clock of its own, so states and payments of all apps cannot be compared."
        />
      ) : (
        <SubscriptionList search={search} />
      )}
      <CancelAll
        key={`${packageName} ${search.productId}`}
        packageName={packageName ?? ''}
        productId={search.productId ?? ''}
        isOpen={isCancelling}
        onDone={finish}
        onClose={close}
      />
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
