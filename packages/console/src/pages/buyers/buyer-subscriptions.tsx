// The subscriptions of a buyer in all apps.

import { useQuery } from '@tanstack/react-query';
import { buyerSubscriptionsQuery } from '../../api/buyer.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Records } from '../../parts/records.tsx';
import { subscriptionColumns } from '../subscriptions/subscription-columns.tsx';

export function BuyerSubscriptions({ buyerId }: { readonly buyerId: string }) {
  const state = useQuery(buyerSubscriptionsQuery(buyerId));
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
