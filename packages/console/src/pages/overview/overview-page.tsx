// The first page: whether something needs attention, and how today is going.

import { SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import { worstWebhooksQuery } from '../../api/overview.ts';
import { sessionQuery } from '../../api/session.ts';
import { statisticsQuery } from '../../api/statistics.ts';
import { Empty } from '../../parts/empty.tsx';
import { Instant } from '../../parts/instant.tsx';
import { lazyPage } from '../../parts/lazy-page.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { Panel } from '../../parts/panel.tsx';
import { serverNow } from '../../runtime/clock.ts';
import { isProduction } from '../../runtime/page.ts';
import { currenciesOf, dayBefore, dayIn, seriesOf } from '../reports/statistic-series.ts';
import { Changes } from './changes.tsx';
import { useScope } from './scope.ts';
import { Tiles } from './tiles.tsx';
import { Verdict } from './verdict.tsx';

/** Loaded after the page: most of its code. */
const pictures = () => import('../reports/statistic-pictures.tsx');
const SalesPicture = lazyPage(pictures, 'SalesPicture');
const RenewalsPicture = lazyPage(pictures, 'RenewalsPicture');

const shownDays = 30;

export function OverviewPage() {
  const session = useQuery(sessionQuery).data?.session;
  const [chosen, choose] = useLocalStorage<string>({ key: 'opentill-overview-currency', defaultValue: '' });
  const { packageName, now } = useScope();
  const to = dayIn(session?.timeZone ?? 'UTC', now ?? serverNow());
  const range = { from: dayBefore(to, shownDays - 1), to, by: 'day' } as const;
  const statistics = useQuery({
    ...statisticsQuery({ ...range, ...(packageName !== undefined && { packageName }) }),
    enabled: session !== undefined && now !== undefined,
  });
  const webhooks = useQuery(worstWebhooksQuery);
  const { data } = statistics;
  const currencies = data === undefined ? [] : currenciesOf(data);
  const currency = currencies.find((known) => known === chosen) ?? currencies[0];
  const rows = data === undefined || currency === undefined ? [] : seriesOf(data, currency, range);
  const active = currencies.reduce((sum, name) => sum + activeIn(name), 0);
  function activeIn(name: string): number {
    return data === undefined ? 0 : (seriesOf(data, name, range).at(-1)?.active ?? 0);
  }
  const { webhooks: receivers = [], nextPageToken } = webhooks.data ?? {};
  const subscriptions = packageName === undefined ? `, ${active} active subscriptions` : '';
  const summary = `: ${receivers.length}${nextPageToken === undefined ? '' : '+'} webhooks${subscriptions}`;
  return (
    <Stack gap="lg">
      <PageHeading title="Overview" />
      <Verdict summary={summary} />
      {!isProduction && <ScopeNote packageName={packageName} now={now} />}
      {currencies.length > 1 && (
        <SegmentedControl<string>
          aria-label="Currency"
          data={currencies}
          value={currency ?? ''}
          onChange={choose}
          style={{ alignSelf: 'flex-start' }}
        />
      )}
      {currency !== undefined && (
        <Tiles
          rows={rows}
          currency={currency}
          search={{ packageName, currency, ...(packageName !== undefined && { to }) }}
        />
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Panel title="Sales and voids, 30 days" state={statistics}>
          {currency === undefined ? (
            <NothingSold />
          ) : (
            <Later>
              <SalesPicture rows={rows} currency={currency} />
            </Later>
          )}
        </Panel>
        <Panel title="Renewals, 30 days" state={statistics}>
          {currency === undefined ? (
            <Text size="sm" c="dimmed">
              No subscription was renewed.
            </Text>
          ) : (
            <Later>
              <RenewalsPicture rows={rows} />
            </Later>
          )}
        </Panel>
        <Changes />
      </SimpleGrid>
    </Stack>
  );
}

/** Whose numbers follow. */
function ScopeNote({ packageName, now }: ReturnType<typeof useScope>) {
  return (
    <Text size="sm" c="dimmed">
      {packageName === undefined ? (
        'Numbers of all apps by real days. Each app of a sandbox has its own clock: choose an app above the navigation to see its own days.'
      ) : (
        <>
          Numbers of <LongText text={packageName} />, by its clock
          {now !== undefined && (
            <>
              : now <Instant ms={now} />
            </>
          )}
        </>
      )}
    </Text>
  );
}

/** About as high as a picture with its table switch. */
const pictureHeight = 260;

function Later({ children }: { readonly children: ReactNode }) {
  return <Suspense fallback={<Skeleton height={pictureHeight} />}>{children}</Suspense>;
}

function NothingSold() {
  const path = '/apps/com.example.game';
  const product = { type: 'one_time', price: 199, currency: 'EUR' };
  return (
    <Empty
      text="Nothing was sold in the last 30 days. These calls create an app and a product, and record a purchase:"
      calls={[
        { method: 'POST', path: '/apps', body: { packageName: 'com.example.game' } },
        { method: 'PUT', path: `${path}/products/coins_100`, body: product },
        { method: 'POST', path: `${path}/purchases`, body: { productId: 'coins_100' } },
      ]}
    />
  );
}
