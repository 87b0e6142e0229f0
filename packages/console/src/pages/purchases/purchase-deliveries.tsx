// The deliveries of the events of a purchase to the webhook.

import { useQuery } from '@tanstack/react-query';
import { type PurchaseKey, purchaseDeliveriesQuery } from '../../api/purchase.ts';
import { Empty } from '../../parts/empty.tsx';
import { Id } from '../../parts/id.tsx';
import { lastResponseOf } from '../../parts/last-attempt.ts';
import { linkTo } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Records } from '../../parts/records.tsx';

export function PurchaseDeliveries({ of }: { readonly of: PurchaseKey }) {
  const deliveries = useQuery(purchaseDeliveriesQuery(of));
  const { deliveries: rows = [], nextPageToken } = deliveries.data ?? {};
  const note = nextPageToken === undefined ? 'newest first' : `the newest ${rows.length}`;
  return (
    <Panel title="Webhook deliveries" note={note} state={deliveries}>
      {rows.length === 0 ? (
        <Empty text="No event of this purchase was delivered: the app has no webhook, or no attempt was made yet." />
      ) : (
        <Records
          label="Webhook deliveries"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              title: 'Delivery',
              cell: ({ id }) => (
                <Id value={id} what="delivery id" link={linkTo.delivery(of.packageName, id)} wraps />
              ),
            },
            { title: 'Time', clock: 'app', time: ({ eventTime }) => eventTime },
            { title: 'Event', cell: ({ type }) => type },
            { title: 'State', cell: ({ state }) => state },
            { title: 'Last attempt', cell: (delivery) => lastResponseOf(delivery) },
          ]}
        />
      )}
    </Panel>
  );
}
