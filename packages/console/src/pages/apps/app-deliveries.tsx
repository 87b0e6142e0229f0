// The deliveries to the webhook of an app, newest first, and the dialog that sends all failed ones again.

import { Alert, Group, Stack, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import type { OperatorOperations } from '@opentill/client/operator';
import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { counted } from '../../parts/count-text.ts';
import { DeliveryState } from '../../parts/delivery-state.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Id } from '../../parts/id.tsx';
import { instantOf } from '../../parts/instant-filter.ts';
import { lastResponseOf } from '../../parts/last-attempt.ts';
import { linkTo } from '../../parts/page-link.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { EventSentence } from '../../parts/sentence.tsx';
import { deliveriesFields } from './fields.ts';

type State = Parameters<OperatorOperations['listDeliveries']>[0]['state'];

/** The earliest instant that the API accepts. */
const earliestMs = 1_000_000_000_000;

interface AppDeliveriesProps {
  readonly packageName: string;
  readonly hasWebhook: boolean;
}

export function AppDeliveries({ packageName, hasWebhook }: AppDeliveriesProps) {
  const search = useSearch({ from: '/frame/apps/$packageName/webhook' });
  const [isResending, { open, close }] = useDisclosure();
  const [count, setCount] = useState<number>();
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={2}>Deliveries</Title>
        {hasWebhook && (
          <ActionButton
            operation="redeliverFailed"
            label="Resend all failed"
            variant="default"
            onAct={open}
          />
        )}
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
        queryKey={['deliveries', packageName]}
        load={async (page, signal) => {
          // The route accepts no other value.
          const state = search.state as State;
          const { deliveries, nextPageToken } = await client.listDeliveries(
            { packageName, state, ...page },
            { signal },
          );
          return { rows: deliveries, nextPageToken };
        }}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Delivery',
            name: 'id',
            cell: ({ id }) => <Id value={id} what="delivery id" link={linkTo.delivery(packageName, id)} />,
          },
          {
            title: 'Event time',
            clock: 'app',
            name: 'eventTime',
            time: ({ eventTime }) => eventTime,
          },
          { title: 'Event', name: 'type', cell: ({ type }) => <EventSentence type={type} /> },
          'purchaseId',
          { title: 'State', name: 'state', cell: ({ state }) => <DeliveryState state={state} /> },
          { title: 'Attempts', name: 'attempts', align: 'right', value: ({ attempts }) => attempts.length },
          { title: 'Last response', name: 'lastResponse', value: (delivery) => lastResponseOf(delivery) },
        ]}
        empty={<Empty text="Nothing was sent yet: a delivery is listed after its first attempt." />}
        fileName={`deliveries-of-${packageName}`}
      />
      <ResendDialog packageName={packageName} isOpen={isResending} onDone={setCount} onClose={close} />
    </Stack>
  );
}

interface ResendDialogProps {
  readonly packageName: string;
  readonly isOpen: boolean;
  readonly onDone: (count: number) => void;
  readonly onClose: () => void;
}

function ResendDialog({ packageName, isOpen, onDone, onClose }: ResendDialogProps) {
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { since: '' } });
  const since = form.values.since.trim();
  const instant = since === '' ? earliestMs : instantOf(since);
  return (
    <ChangeDialog
      title="Resend all failed deliveries"
      confirmLabel={`Resend for ${packageName}`}
      isOpen={isOpen}
      form={form}
      isBlocked={instant === undefined}
      effects={[
        'Deliveries that were given up or wait for a retry are attempted at once, with a new schedule.',
        'Events of the same purchase keep their order.',
      ]}
      change={async () => {
        const { count } = await client.redeliverFailed({ packageName, since: instant ?? earliestMs });
        return count;
      }}
      onDone={(count) => {
        onDone(count);
        onClose();
        void queryClient.invalidateQueries({ queryKey: ['deliveries', packageName] });
      }}
      onClose={onClose}
    >
      <TextInput
        name="since"
        autoComplete="off"
        label="Events since"
        description="By the app's clock, such as 2026-03-16T09:00:00Z; or relative to now, such as -24h. Empty: all that are listed."
        {...form.getInputProps('since')}
      />
    </ChangeDialog>
  );
}
