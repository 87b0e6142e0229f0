// The deliveries to the webhook of an app, newest first, and the dialog that sends all failed ones again.

import { Alert, Group, Stack, Title } from '@mantine/core';
import type { OperatorOperations } from '@opentill/client/operator';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { instantOf } from '../../filters/instant-filter.ts';
import { deliveriesFields } from '../../filters/page-filters.ts';
import { ChangeButton } from '../../parts/change-button.tsx';
import { Field } from '../../parts/change-fields.tsx';
import { Empty } from '../../parts/empty.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { useTimeZone } from '../../parts/preferences.ts';
import { EventSentence } from '../../parts/sentence.tsx';
import { DeliveryState, lastResponseOf } from '../../parts/states.tsx';
import { Id } from '../../values/id.tsx';
import { counted } from '../../values/quantity-text.ts';

type State = Parameters<OperatorOperations['listDeliveries']>[0]['state'];

/** The earliest instant that the API accepts. */
const earliestMs = 1_000_000_000_000;

interface AppDeliveriesProps {
  readonly packageName: string;
  readonly hasWebhook: boolean;
}

export function AppDeliveries({ packageName, hasWebhook }: AppDeliveriesProps) {
  const search = useSearch({ from: '/frame/apps/$packageName/webhook' });
  const [count, setCount] = useState<number>();
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={2}>Deliveries</Title>
        <ResendButton packageName={packageName} isOffered={hasWebhook} onDone={setCount} />
      </Group>
      {count !== undefined && (
        <Alert color="good" role="status">
          {counted(count, 'delivery was', 'deliveries were')} scheduled again.
        </Alert>
      )}
      <PageList
        label="Deliveries"
        fields={deliveriesFields}
        search={search}
        rows="deliveries"
        // The route accepts no other value.
        load={(client, page, options) =>
          client.listDeliveries({ packageName, state: search.state as State, ...page }, options)
        }
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Delivery',
            cell: ({ id }) => <Id value={id} what="delivery id" link={linkTo.delivery(packageName, id)} />,
          },
          { title: 'Event time', clock: 'app', time: ({ eventTime }) => eventTime },
          { title: 'Event', cell: ({ type }) => <EventSentence type={type} /> },
          { title: 'State', cell: ({ state }) => <DeliveryState state={state} /> },
          { title: 'Attempts', align: 'right', cell: ({ attempts }) => attempts.length },
          { title: 'Last response', cell: (delivery) => lastResponseOf(delivery) },
        ]}
        empty={<Empty text="Nothing was sent yet: a delivery is listed after its first attempt." />}
        fileName={`deliveries-of-${packageName}`}
      />
    </Stack>
  );
}

interface ResendButtonProps {
  readonly packageName: string;
  readonly isOffered: boolean;
  readonly onDone: (count: number) => void;
}

function ResendButton({ packageName, isOffered, onDone }: ResendButtonProps) {
  const timeZone = useTimeZone();
  const instant = (since = '') => (since === '' ? earliestMs : instantOf(since, timeZone));
  return (
    <ChangeButton
      operation="redeliverFailed"
      label="Resend all failed"
      isOffered={isOffered}
      title="Resend all failed deliveries"
      confirmLabel={`Resend for ${packageName}`}
      initialValues={{ since: '' }}
      isBlocked={({ since }) => instant(since) === undefined}
      effects={[
        'Deliveries that were given up or wait for a retry are attempted at once, with a new schedule.',
        'Events of the same purchase keep their order.',
      ]}
      change={async ({ since }) => {
        const { count } = await client.redeliverFailed({ packageName, since: instant(since) ?? earliestMs });
        return count;
      }}
      onDone={onDone}
    >
      <Field
        name="since"
        label="Events since"
        description="By the app's clock, such as 28 Dec 2026, 12:00; or relative to now, such as -24h. Empty: all that are listed."
      />
    </ChangeButton>
  );
}
