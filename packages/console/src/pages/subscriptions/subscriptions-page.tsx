// The subscriptions of all apps, by state, product, buyer and next payment.

import { Stack, Text } from '@mantine/core';
import type { ListedSubscription } from '@opentill/client/operator';
import { useSearch } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import type { Search } from '../../filters/filter-fields.ts';
import { FilterBar } from '../../filters/filters.tsx';
import { instantOf } from '../../filters/instant-filter.ts';
import { subscriptionsFields } from '../../filters/page-filters.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { useTimeZone } from '../../parts/preferences.ts';
import type { Column } from '../../parts/records.tsx';
import { isInTrial, RenewalPrice, saleColumns } from '../../parts/sold.tsx';
import { StateLegend, SubscriptionState } from '../../parts/states.tsx';
import { livedPeriods } from '../../pictures/life-data.ts';
import { serverNow } from '../../runtime/clock.ts';
import { isProduction } from '../../runtime/page.ts';
import { Id } from '../../values/id.tsx';
import { Instant } from '../../values/instant.tsx';
import { numberText } from '../../values/quantity-text.ts';

export function SubscriptionsPage() {
  const search = useSearch({ from: '/frame/subscriptions' });
  const { packageName, state, awaitsConsent, nextPaymentBefore } = search;
  const lacksApp =
    !isProduction && packageName === undefined && (state ?? awaitsConsent ?? nextPaymentBefore) !== undefined;
  return (
    <Stack gap="lg">
      <PageHeading title="Subscriptions" />
      <StateLegend />
      {lacksApp ? (
        <>
          <FilterBar fields={subscriptionsFields} search={search} />
          <Text size="sm">
            Choose an app: each app of the sandbox has a clock of its own, so states and payments of all apps
            cannot be compared.
          </Text>
        </>
      ) : (
        <SubscriptionList search={search} />
      )}
    </Stack>
  );
}

const columnsOf = (packageName: string | undefined): readonly Column<ListedSubscription>[] => [
  {
    title: 'Subscription',
    cell: (row) => (
      <Id value={row.firstPurchaseId} what="first purchase id" link={linkTo.subscription(row)} />
    ),
  },
  ...saleColumns(packageName),
  { title: 'Periods', align: 'right', cell: periodsText },
  { title: 'State', cell: (row) => <SubscriptionState subscription={row} /> },
  { title: 'Next payment', clock: 'app', isClear: true, cell: nextPaymentCell },
  { title: 'Price', align: 'right', isClear: true, cell: priceCell },
];

function periodsText(subscription: ListedSubscription): string {
  const { length } = subscription.voidedPeriods;
  return `${numberText(livedPeriods(subscription))}${length === 0 ? '' : `, ${length} voided`}`;
}

const dateWords: Readonly<Record<ListedSubscription['state'], string>> = {
  active: 'due',
  autoPaymentOff: 'ends',
  paymentOutstanding: 'unpaid since',
  expired: 'ended',
  terminated: 'ended',
};

function nextPaymentCell(subscription: ListedSubscription) {
  const { nextPaymentTime, terminatedTime, expiryTime, state } = subscription;
  const isFree = state === 'active' && isInTrial(subscription);
  const words = nextPaymentTime === undefined ? dateWords[state] : isFree ? 'free until' : 'due';
  return (
    <Text size="sm" component="span" {...(nextPaymentTime === undefined && { c: 'dimmed' })}>
      {words} <Instant ms={nextPaymentTime ?? terminatedTime ?? expiryTime} />
      {state === 'autoPaymentOff' && subscription.awaitsConsent && ' unless agreed'}
    </Text>
  );
}

/** The price of the date next to it: what has ended costs nothing more. */
function priceCell(subscription: ListedSubscription) {
  if (subscription.nextPaymentTime === undefined) return null;
  return (
    <>
      {isInTrial(subscription) && 'then '}
      <RenewalPrice of={subscription} />
    </>
  );
}

/** A relative time follows the clock of the app in the sandbox. */
async function nowOf(packageName: string | undefined): Promise<number> {
  if (isProduction || packageName === undefined) return serverNow();
  return (await client.getClock({ packageName })).now;
}

function SubscriptionList({ search }: { readonly search: Search }) {
  const timeZone = useTimeZone();
  const { pageToken: _pageToken, nextPaymentBefore: before, ...filters } = search;
  return (
    <PageList
      label="Subscriptions"
      fields={subscriptionsFields}
      search={search}
      rows="subscriptions"
      load={async (client, page, options) => {
        const nextPaymentBefore = before && instantOf(before, timeZone, await nowOf(filters['packageName']));
        const asked = { ...filters, nextPaymentBefore, ...page };
        // The route accepts no other state.
        return client.listSubscriptions(asked as Parameters<typeof client.listSubscriptions>[0], options);
      }}
      keyOf={({ packageName, firstPurchaseId }) => `${packageName} ${firstPurchaseId}`}
      columns={columnsOf(filters['packageName'])}
      empty={
        <Empty
          text="There are no subscriptions yet. Record the purchase of a subscription product to start one:"
          calls={[
            { method: 'POST', path: '/apps/com.example.game/purchases', body: { productId: 'monthly' } },
          ]}
        />
      }
      fileName="subscriptions"
    />
  );
}
