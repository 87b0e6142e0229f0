// One subscription: its state and why, the picture of its life, what happened, its months, and what can be changed.

import { Box, Flex, Stack, Text } from '@mantine/core';
import type { Subscription } from '@opentill/client/operator';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { callQuery, hasStatus } from '../../api/client.ts';
import { storyKinds } from '../../filters/page-filters.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Fields } from '../../parts/fields.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel, PanelContent } from '../../parts/panel.tsx';
import { RecordHeading } from '../../parts/record-heading.tsx';
import { productName, Sold } from '../../parts/sold.tsx';
import { SubscriptionState } from '../../parts/states.tsx';
import { Id } from '../../values/id.tsx';
import { Instant } from '../../values/instant.tsx';
import { counted } from '../../values/quantity-text.ts';
import { Story } from '../story.tsx';
import { Months } from './months.tsx';
import { AutoPaymentButtons, ExtendButton } from './subscription-changes.tsx';
import { SubscriptionPicture } from './subscription-picture.tsx';
import { storyOf } from './subscription-story.tsx';

type SubscriptionKey = Pick<Subscription, 'packageName' | 'firstPurchaseId'>;

/** Months that are loaded at once: five years. */
const loadedMonthsMax = 60;

/** The months up to this one; undefined: the newest ones. */
function rangeUpTo(toPeriod: number | undefined) {
  if (toPeriod === undefined) return {};
  return { fromPeriod: Math.max(0, toPeriod - loadedMonthsMax + 1), toPeriod };
}

export function SubscriptionPage() {
  const key: SubscriptionKey = useParams({ from: '/frame/apps/$packageName/subscriptions/$firstPurchaseId' });
  const search = useSearch({ from: '/frame/apps/$packageName/subscriptions/$firstPurchaseId' });
  const navigate = useNavigate();
  const until = /^[1-9]\d{0,5}$/.test(search.until ?? '') ? Number(search.until) - 1 : undefined;
  const show = (changed: Readonly<Record<string, string | undefined>>): void =>
    void navigate({ to: '.', search: { ...search, ...changed }, replace: true });
  const subscription = useQuery({
    ...callQuery('getSubscription', { ...key, ...rangeUpTo(until), newestMonths: loadedMonthsMax }),
    placeholderData: keepPreviousData,
  });
  const { data } = subscription;
  return (
    <Stack gap="lg">
      <Heading of={key} subscription={data} />
      {hasStatus(subscription.error, 404) && (
        <PageLink {...linkTo.find(key.firstPurchaseId)}>Find this id in all apps</PageLink>
      )}
      <PanelContent state={subscription}>
        {data !== undefined && (
          <>
            <StateLine {...data} />
            <Panel title="Months and charges" state={subscription}>
              <SubscriptionPicture subscription={data} onShow={(last) => show({ until: last?.toString() })} />
            </Panel>
            <Flex gap="lg" direction={{ base: 'column', lg: 'row' }} align="stretch">
              <Stack gap="lg" flex={1} miw={0}>
                <Story
                  state={subscription}
                  {...storyOf(data, search.kind)}
                  kinds={storyKinds}
                  kind={search.kind}
                  onKind={(kind) => show({ kind })}
                />
                <Panel title="Months" state={subscription}>
                  <Months subscription={data} />
                </Panel>
              </Stack>
              <Box w={{ base: '100%', lg: 320 }} style={{ flexShrink: 0 }}>
                <Panel title="Record" state={subscription}>
                  <SubscriptionRecord {...data} />
                </Panel>
              </Box>
            </Flex>
          </>
        )}
      </PanelContent>
    </Stack>
  );
}

interface HeadingProps {
  readonly of: SubscriptionKey;
  readonly subscription: Subscription | undefined;
}

function Heading({ of: { packageName, firstPurchaseId }, subscription }: HeadingProps) {
  const navigate = useNavigate();
  return (
    <RecordHeading
      windowTitle={subscription === undefined ? 'Subscription' : productName(subscription)}
      title={
        subscription && (
          <>
            <Sold record={subscription} /> a month
          </>
        )
      }
      state={subscription && <SubscriptionState state={subscription.state} />}
      id={{ value: firstPurchaseId, what: 'first purchase id' }}
    >
      {subscription !== undefined && (
        <>
          <AutoPaymentButtons subscription={subscription} />
          <ExtendButton subscription={subscription} />
          <ActionButton
            operation="voidPurchase"
            label="Void a month"
            hotkey="v"
            isDestructive
            onAct={() =>
              void navigate(linkTo.purchase({ packageName, purchaseId: subscription.lastPurchaseId }))
            }
          />
        </>
      )}
    </RecordHeading>
  );
}

function SubscriptionRecord(subscription: Subscription) {
  const { packageName, productId, orderId, buyerId, lastPeriodIndex, developerPayload } = subscription;
  return (
    <Fields
      isNarrow
      fields={{
        App: <Id value={packageName} what="package name" link={linkTo.app(packageName)} wraps />,
        Product: <Id value={productId} what="product id" wraps />,
        Order: orderId && <Id value={orderId} what="order id" wraps />,
        Buyer: buyerId && <Id value={buyerId} what="buyer id" link={linkTo.buyer(buyerId)} wraps />,
        Started: <Instant ms={subscription.startTime} clock="app" />,
        'So far': counted(lastPeriodIndex + 1, 'month'),
        'Time zone': subscription.timeZone,
        'Developer payload': developerPayload && <bdi>{developerPayload}</bdi>,
      }}
    />
  );
}

function StateLine(subscription: Subscription) {
  return (
    <Stack gap="xxs">
      <Text size="lg">
        <StateSentence {...subscription} />
      </Text>
      <Why subscription={subscription} />
    </Stack>
  );
}

/** The cause of the state, with a link to the purchase that shows it; charges are in the story. */
function Why({ subscription: { packageName, cause } }: { readonly subscription: Subscription }) {
  const { purchaseId, attempt } = cause;
  return (
    <Text size="sm">
      Why? <bdi>{cause.text}</bdi>{' '}
      {attempt === undefined && purchaseId !== undefined && (
        <PageLink {...linkTo.purchase({ packageName, purchaseId })} inherit underline="always">
          Open the month
        </PageLink>
      )}
    </Text>
  );
}

/** What the state means, before and after the instant that it is about. */
const stateWords: Readonly<Record<Subscription['state'], readonly [before: string, after: string]>> = {
  active: ['Paid until', ', then the next month is charged.'],
  auto_payment_off: ['Access lasts until', '; no further month is charged.'],
  payment_outstanding: ['Unpaid since', ''],
  expired: ['Ended with its paid time on', '.'],
  terminated: ['Ended at once on', '.'],
};

function StateSentence({ state, expiryTime, nextPaymentTime, terminatedTime }: Subscription) {
  const [before, after] = stateWords[state];
  const time = state === 'terminated' ? (terminatedTime ?? expiryTime) : expiryTime;
  return (
    <>
      {before} <Instant ms={time} clock="app" />
      {after}
      {state === 'payment_outstanding' && nextPaymentTime !== undefined && (
        <>
          , next attempt <Instant ms={nextPaymentTime} />
        </>
      )}
      {state === 'payment_outstanding' && '.'}
    </>
  );
}
