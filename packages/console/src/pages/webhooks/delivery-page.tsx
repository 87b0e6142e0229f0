// One delivery: why it is in its state, its attempts, and the request as sent, without its signature.

import { Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { callQuery, client, type ResultOf } from '../../api/client.ts';
import { ChangeButton } from '../../parts/change-button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Fields } from '../../parts/fields.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Records } from '../../parts/records.tsx';
import { EventSentence } from '../../parts/sentence.tsx';
import { DeliveryState, lastResponseOf } from '../../parts/states.tsx';
import { CopiedCode } from '../../values/copied-code.tsx';
import { Id } from '../../values/id.tsx';
import { Instant } from '../../values/instant.tsx';
import { ShortName } from '../../values/long-text.tsx';
import { durationText } from '../../values/quantity-text.ts';
import { TestWebhookButton } from './test-webhook-button.tsx';

type ShownDelivery = ResultOf<'getDelivery'>;
type Attempt = ShownDelivery['attempts'][number];

/** The next attempt of a failing delivery may be seconds away. */
const refreshEveryMs = 5_000;

export function DeliveryPage() {
  const { packageName, deliveryId } = useParams({ from: '/frame/apps/$packageName/deliveries/$deliveryId' });
  const delivery = useQuery({
    ...callQuery('getDelivery', { packageName, deliveryId }),
    refetchInterval: ({ state }) => (state.data?.state === 'waiting' ? refreshEveryMs : false),
  });
  const shown = delivery.data;
  return (
    <Stack gap="lg">
      <PageHeading
        title="Delivery"
        id={{ value: deliveryId, what: 'delivery id' }}
        isRecord
        actions={
          shown && (
            <>
              <TestWebhookButton packageName={packageName} />
              <ResendButton packageName={packageName} delivery={shown} />
            </>
          )
        }
      />
      <Panel title="State" state={delivery} id={deliveryId}>
        {shown !== undefined && <State packageName={packageName} delivery={shown} />}
      </Panel>
      {shown !== undefined && (
        <>
          <Panel title="Attempts" note="the latest 20 are kept" state={delivery}>
            <Attempts delivery={shown} />
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
          'Event number': order,
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

function Attempts({ delivery: { attempts, eventTime } }: Pick<OfDelivery, 'delivery'>) {
  if (attempts.length === 0) return <Empty text="There was no attempt yet." />;
  return (
    <Records
      label="Attempts"
      rows={attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }))}
      keyOf={({ number }) => String(number)}
      columns={[
        { title: 'Attempt', cell: ({ number }) => number },
        { title: 'Time', clock: 'app', time: ({ appTime }) => appTime },
        {
          title: 'After the event',
          align: 'right',
          cell: ({ appTime }) => durationText(Math.max(0, appTime - eventTime)),
        },
        { title: 'Result', cell: (attempt) => lastResponseOf({ attempts: [attempt] }) },
        { title: 'Took', align: 'right', cell: ({ latencyMs }) => `${Math.round(latencyMs)} ms` },
        { title: 'Response', cell: (attempt) => <Response attempt={attempt} /> },
      ]}
    />
  );
}

function Response({ attempt: { response, isResponseCut, httpStatus } }: { readonly attempt: Attempt }) {
  if (response === '') return httpStatus === undefined ? 'none' : 'no content';
  return (
    <>
      <Code style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        <bdi>{response}</bdi>
      </Code>
      {isResponseCut && ' (truncated)'}
    </>
  );
}

const deliveredWarning =
  'It was delivered before: a receiver that does not compare the webhook-id processes it twice.';

function ResendButton({ packageName, delivery }: OfDelivery) {
  const { id, type, state, deliveredTime } = delivery;
  return (
    <ChangeButton
      operation="redeliver"
      label="Resend"
      disabled={state === 'held'}
      title="Resend a delivery"
      confirmLabel={`Resend ${type}`}
      effects={[
        ...(deliveredTime === undefined ? [] : [deliveredWarning]),
        'It is attempted as soon as possible, with a new schedule of retries.',
        'The receiver gets the same webhook-id and body.',
      ]}
      change={() => client.redeliver({ packageName, deliveryId: id })}
    />
  );
}
