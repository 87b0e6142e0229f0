// One subscription: its state, the picture of its life, its months, charges, events and actions, and what can be changed.

import { Group, Stack, Tabs, Text, Title } from '@mantine/core';
import type { Subscription } from '@opentill/client/operator';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { callQuery, hasStatus } from '../../api/client.ts';
import { subscriptionTabs } from '../../filters/page-filters.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { usePageTitle } from '../../parts/page-heading.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel, PanelContent } from '../../parts/panel.tsx';
import { SubscriptionState } from '../../parts/states.tsx';
import { Id } from '../../values/id.tsx';
import { Instant } from '../../values/instant.tsx';
import { LongText } from '../../values/long-text.tsx';
import { Money } from '../../values/money.tsx';
import { counted } from '../../values/quantity-text.ts';
import { AutoPaymentButtons, ExtendButton } from './subscription-changes.tsx';
import { SubscriptionPicture } from './subscription-picture.tsx';
import { ChargesTab, EventsTab, MonthsTab } from './subscription-tabs.tsx';

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
  usePageTitle(`Subscription ${key.firstPurchaseId}`);
  const search = useSearch({ from: '/frame/apps/$packageName/subscriptions/$firstPurchaseId' });
  const navigate = useNavigate();
  const until = /^[1-9]\d{0,5}$/.test(search.until ?? '') ? Number(search.until) - 1 : undefined;
  const show = (changed: Readonly<Record<string, string | undefined>>, replace = true): void =>
    void navigate({ to: '.', search: { ...search, ...changed }, replace });
  const subscription = useQuery({
    ...callQuery('getSubscription', { ...key, ...rangeUpTo(until), newestMonths: loadedMonthsMax }),
    placeholderData: keepPreviousData,
  });
  const { data } = subscription;
  const tab = (search.tab ?? 'months') as keyof typeof subscriptionTabs;
  const tabs = data && {
    months: <MonthsTab subscription={data} />,
    charges: <ChargesTab subscription={data} />,
    events: <EventsTab subscription={data} />,
  };
  return (
    <Stack gap="lg">
      <Header subscriptionKey={key} subscription={data} />
      <PanelContent state={subscription}>{data !== undefined && <StateLine {...data} />}</PanelContent>
      {hasStatus(subscription.error, 404) && (
        <PageLink {...linkTo.find(key.firstPurchaseId)}>Find this id in all apps</PageLink>
      )}
      {subscription.error === null && (
        <Panel title="Months and charges" state={subscription}>
          {data !== undefined && (
            <SubscriptionPicture subscription={data} onShow={(last) => show({ until: last?.toString() })} />
          )}
        </Panel>
      )}
      {tabs !== undefined && (
        <Tabs
          value={tab}
          onChange={(value) => show({ tab: value === 'months' ? undefined : (value ?? undefined) })}
          keepMounted={false}
        >
          <Tabs.List mb="md">
            {Object.entries(subscriptionTabs).map(([name, label]) => (
              <Tabs.Tab key={name} value={name}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tab}>{tabs[tab]}</Tabs.Panel>
        </Tabs>
      )}
    </Stack>
  );
}

interface HeaderProps {
  readonly subscriptionKey: SubscriptionKey;
  readonly subscription: Subscription | undefined;
}

function Header({ subscriptionKey, subscription }: HeaderProps) {
  const navigate = useNavigate();
  const { packageName, firstPurchaseId } = subscriptionKey;
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack gap="xxs" miw={0}>
        <Title order={1}>Subscription</Title>
        <Id value={firstPurchaseId} what="first purchase id" wraps />
        <Text size="sm" component="div">
          <PageLink {...linkTo.app(packageName)} inherit>
            <LongText text={packageName} />
          </PageLink>
        </Text>
      </Stack>
      {subscription !== undefined && (
        <Group gap="xs">
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
        </Group>
      )}
    </Group>
  );
}

function StateLine(subscription: Subscription) {
  const { packageName, firstPurchaseId, state, productId, buyerId, lastPeriodIndex } = subscription;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <SubscriptionState state={state} />
        <Text size="lg" component="span">
          <StateSentence {...subscription} />
        </Text>
      </Group>
      <Why subscription={subscription} />
      <Group gap="lg" style={{ rowGap: 0 }}>
        <PageLink {...linkTo.audit(packageName, firstPurchaseId)} size="sm" underline="always">
          What operators did, with notes
        </PageLink>
        <Text size="sm" component="span">
          Product <bdi>{productId}</bdi>
        </Text>
        <Text size="sm" component="span">
          <Money {...subscription} /> a month, {counted(lastPeriodIndex + 1, 'month')} so far
        </Text>
        {buyerId !== undefined && (
          <Text size="sm" component="span">
            Buyer{' '}
            <PageLink {...linkTo.buyer(buyerId)} inherit>
              <bdi>{buyerId}</bdi>
            </PageLink>
          </Text>
        )}
      </Group>
    </Stack>
  );
}

/** The cause of the state, with a link to the purchase or to the charges that show it. */
function Why({
  subscription: { packageName, firstPurchaseId, cause },
}: {
  readonly subscription: Subscription;
}) {
  const { purchaseId, attempt } = cause;
  return (
    <Text size="sm" component="span">
      Why? <bdi>{cause.text}</bdi>{' '}
      {attempt !== undefined && (
        <PageLink
          {...linkTo.subscription({ packageName, firstPurchaseId })}
          search={{ tab: 'charges' }}
          inherit
          underline="always"
        >
          Show the charges
        </PageLink>
      )}
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
