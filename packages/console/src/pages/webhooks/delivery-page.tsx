// One delivery: why it is in its state, its attempts, and the request as sent, without its signature.

import { Code, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { deliveryQuery, type ShownDelivery } from '../../api/app.ts';
import { client, hasStatus } from '../../api/client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { CopiedCode } from '../../parts/copied-code.tsx';
import { DeliveryState } from '../../parts/delivery-state.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Fields } from '../../parts/fields.tsx';
import { Id } from '../../parts/id.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ShortName } from '../../parts/long-text.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { EventSentence } from '../../parts/sentence.tsx';
import { DeliveryAttempts } from './delivery-attempts.tsx';
import { TestWebhookButton } from './test-webhook-button.tsx';

/** The next attempt of a failing delivery may be seconds away. */
const refreshEveryMs = 5_000;

export function DeliveryPage() {
  const { packageName, deliveryId } = useParams({ from: '/frame/apps/$packageName/deliveries/$deliveryId' });
  const delivery = useQuery({
    ...deliveryQuery(packageName, deliveryId),
    refetchInterval: ({ state }) => (state.data?.state === 'waiting' ? refreshEveryMs : false),
  });
  const queryClient = useQueryClient();
  const readBack = (): void => {
    void queryClient.invalidateQueries({ queryKey: ['delivery', packageName] });
    void queryClient.invalidateQueries({ queryKey: ['deliveries', packageName] });
  };
  const shown = delivery.data;
  return (
    <Stack gap="lg">
      <PageHeading
        title="Delivery"
        windowTitle={`Delivery ${deliveryId}`}
        actions={
          shown !== undefined && (
            <>
              <TestWebhookButton packageName={packageName} onDone={readBack} />
              <ResendButton packageName={packageName} delivery={shown} onDone={readBack} />
            </>
          )
        }
      >
        <Id value={deliveryId} what="delivery id" wraps />
      </PageHeading>
      <Panel title="State" state={delivery}>
        {shown !== undefined && <State packageName={packageName} delivery={shown} />}
      </Panel>
      {shown === undefined ? (
        hasStatus(delivery.error, 404) && (
          <PageLink {...linkTo.find(deliveryId)}>Find this id in all apps</PageLink>
        )
      ) : (
        <>
          <Panel title="Attempts" note="the latest 20 are kept" state={delivery}>
            <DeliveryAttempts delivery={shown} />
          </Panel>
          <Panel title="Request" state={delivery}>
            <Request request={shown.request} />
          </Panel>
        </>
      )}
    </Stack>
  );
}

interface OfDelivery {
  readonly packageName: string;
  readonly delivery: ShownDelivery;
}

function State({ packageName, delivery }: OfDelivery) {
  const { state, cause, heldBehind, dueTime, deliveredTime, purchaseId, order, type, eventTime } = delivery;
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <DeliveryState state={state} />
        <Text size="sm">
          {cause.text}{' '}
          {heldBehind !== undefined && (
            <PageLink {...linkTo.delivery(packageName, heldBehind.id)} inherit underline="always">
              Show that delivery
            </PageLink>
          )}
        </Text>
      </Group>
      <Fields
        fields={{
          Event: <EventSentence type={type} />,
          Order: order,
          'Event time': <Instant ms={eventTime} clock="app" />,
          App: (
            <PageLink {...linkTo.app(packageName, 'webhook')} inherit>
              <ShortName text={packageName} />
            </PageLink>
          ),
          Purchase: purchaseId !== undefined && (
            <Id value={purchaseId} what="purchase id" link={linkTo.purchase({ packageName, purchaseId })} />
          ),
          'Next attempt': dueTime !== undefined && <Instant ms={dueTime} clock="app" />,
          'First delivered': deliveredTime !== undefined && <Instant ms={deliveredTime} clock="app" />,
        }}
      />
    </Stack>
  );
}

function Request({ request }: { readonly request: ShownDelivery['request'] }) {
  if (request === undefined)
    return <Empty text="The event is no longer retained, so that its body is not known." />;
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  return <CopiedCode what="the request" code={[...headers, '', request.body].join('\n')} />;
}

function ResendButton({ packageName, delivery, onDone }: OfDelivery & { readonly onDone: () => void }) {
  const [isOpen, { open, close }] = useDisclosure();
  const { id, state, deliveredTime } = delivery;
  const effects = [
    'It is attempted as soon as possible, with a new schedule of retries.',
    'The receiver gets the same webhook-id and body.',
  ];
  return (
    <>
      <ActionButton
        operation="redeliver"
        label="Resend"
        variant="default"
        disabled={state === 'held'}
        onAct={open}
      />
      <ChangeDialog
        title="Resend a delivery"
        confirmLabel={`Resend ${id}`}
        isOpen={isOpen}
        effects={deliveredTime === undefined ? effects : [<Warning key="delivered" />, ...effects]}
        change={() => client.redeliver({ packageName, deliveryId: id })}
        onDone={() => {
          close();
          onDone();
        }}
        onClose={close}
      />
    </>
  );
}

function Warning() {
  return (
    <>
      It was delivered before: a receiver that does not compare the <Code>webhook-id</Code> processes it
      twice.
    </>
  );
}
