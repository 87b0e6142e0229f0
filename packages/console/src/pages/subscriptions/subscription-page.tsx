// One subscription: its state, the picture of its life, its months, charges, events and actions, and what can be changed.

import { Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Subscription } from '@opentill/client/operator';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { hasStatus } from '../../api/client.ts';
import { type SubscriptionKey, subscriptionQuery } from '../../api/subscriptions.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Id } from '../../parts/id.tsx';
import { Instant } from '../../parts/instant.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Money } from '../../parts/money.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { Panel, PanelContent } from '../../parts/panel.tsx';
import { SubscriptionState } from '../../parts/subscription-state.tsx';
import { DeveloperView } from '../purchases/purchase-developer-view.tsx';
import { CancelDialog, ReactivateDialog } from './subscription-changes.tsx';
import { subscriptionTabs } from './subscription-fields.ts';
import { SubscriptionPicture } from './subscription-picture.tsx';
import { ActionsTab, ChargesTab, EventsTab, MonthsTab } from './subscription-tabs.tsx';

export function SubscriptionPage() {
  const key: SubscriptionKey = useParams({ from: '/frame/apps/$packageName/subscriptions/$firstPurchaseId' });
  usePageTitle(`Subscription ${key.firstPurchaseId}`);
  const search = useSearch({ from: '/frame/apps/$packageName/subscriptions/$firstPurchaseId' });
  const navigate = useNavigate();
  const until = /^[1-9]\d{0,5}$/.test(search.until ?? '') ? Number(search.until) - 1 : undefined;
  const show = (changed: Readonly<Record<string, string | undefined>>, replace = true): void =>
    void navigate({ to: '.', search: { ...search, pageToken: undefined, ...changed }, replace });
  const subscription = useQuery(subscriptionQuery(key, until));
  const { data } = subscription;
  const tab = search.tab ?? 'months';
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
      {data !== undefined && (
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
          <Tabs.Panel value="months">
            <MonthsTab subscription={data} />
          </Tabs.Panel>
          <Tabs.Panel value="charges">
            <ChargesTab subscription={data} />
          </Tabs.Panel>
          <Tabs.Panel value="events">
            <EventsTab subscription={data} />
          </Tabs.Panel>
          <Tabs.Panel value="actions">
            <ActionsTab subscriptionKey={key} search={search} />
          </Tabs.Panel>
          <Tabs.Panel value="developer">
            <DeveloperView of={{ packageName: key.packageName, purchaseId: data.lastPurchaseId }} />
          </Tabs.Panel>
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
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isCancelling, cancelling] = useDisclosure();
  const [isReactivating, reactivating] = useDisclosure();
  // Both also after an error: another tab may have changed the subscription.
  const readBack = (): void => void queryClient.invalidateQueries();
  const { packageName, firstPurchaseId } = subscriptionKey;
  const purchaseId = subscription?.lastPurchaseId ?? firstPurchaseId;
  const openLastMonth = useCallback(
    () => void navigate(linkTo.purchase({ packageName, purchaseId })),
    [navigate, packageName, purchaseId],
  );
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
          {subscription.state === 'auto_payment_off' ? (
            <ActionButton
              operation="reactivateSubscription"
              label="Reactivate"
              hotkey="c"
              variant="default"
              onAct={reactivating.open}
            />
          ) : (
            <ActionButton
              operation="cancelSubscription"
              label="Cancel"
              hotkey="c"
              isEnding
              disabled={!subscription.autoRenewing}
              onAct={cancelling.open}
            />
          )}
          <ActionButton
            operation="voidPurchase"
            label="Void a month"
            hotkey="v"
            isEnding
            onAct={openLastMonth}
          />
          <CancelDialog
            subscription={subscription}
            isOpen={isCancelling}
            onClose={cancelling.close}
            onSettled={readBack}
          />
          <ReactivateDialog
            subscription={subscription}
            isOpen={isReactivating}
            onClose={reactivating.close}
            onSettled={readBack}
          />
        </Group>
      )}
    </Group>
  );
}

function StateLine(subscription: Subscription) {
  const { state, productId, buyerId, lastPeriodIndex } = subscription;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <SubscriptionState state={state} />
        <Text size="lg" component="span">
          <StateSentence {...subscription} />
        </Text>
      </Group>
      <Why subscription={subscription} />
      <Group gap="lg">
        <Text size="sm" component="span">
          Product <bdi>{productId}</bdi>
        </Text>
        <Text size="sm" component="span">
          <Money {...subscription} /> a month, {lastPeriodIndex + 1}{' '}
          {lastPeriodIndex === 0 ? 'month' : 'months'} so far
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

function StateSentence({ state, expiryTime, nextPaymentTime, terminatedTime }: Subscription) {
  const clock = 'app';
  switch (state) {
    case 'active':
      return (
        <>
          Paid until <Instant ms={expiryTime} clock={clock} />, then the next month is charged.
        </>
      );
    case 'auto_payment_off':
      return (
        <>
          Access lasts until <Instant ms={expiryTime} clock={clock} />; no further month is charged.
        </>
      );
    case 'payment_outstanding':
      return (
        <>
          Since <Instant ms={expiryTime} clock={clock} />
          {nextPaymentTime !== undefined && (
            <>
              , next attempt <Instant ms={nextPaymentTime} />
            </>
          )}
          .
        </>
      );
    case 'expired':
      return (
        <>
          Ended with its paid time on <Instant ms={expiryTime} clock={clock} />.
        </>
      );
    case 'terminated':
      return (
        <>
          Ended at once on <Instant ms={terminatedTime ?? expiryTime} clock={clock} />.
        </>
      );
  }
}
