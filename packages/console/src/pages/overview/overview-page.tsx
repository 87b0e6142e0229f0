// The first page: whether something needs attention, and how today is going.

import { SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import { worstWebhooksQuery } from '../../api/overview.ts';
import { sessionQuery } from '../../api/session.ts';
import { statisticsQuery } from '../../api/statistics.ts';
import { Empty } from '../../parts/empty.tsx';
import { lazyPage } from '../../parts/lazy-page.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { Panel } from '../../parts/panel.tsx';
import { serverNow } from '../../runtime/clock.ts';
import { currenciesOf, dayBefore, dayIn, seriesOf } from '../reports/statistic-series.ts';
import { Changes } from './changes.tsx';
import { Tiles } from './tiles.tsx';
import { Verdict } from './verdict.tsx';
import { WebhookHours } from './webhook-hours.tsx';

/** Loaded after the page: most of its code. */
const pictures = () => import('../reports/statistic-pictures.tsx');
const SalesPicture = lazyPage(pictures, 'SalesPicture');
const CountPicture = lazyPage(pictures, 'CountPicture');

const shownDays = 30;

export function OverviewPage() {
  const session = useQuery(sessionQuery).data?.session;
  const [chosen, choose] = useLocalStorage<string>({ key: 'opentill-overview-currency', defaultValue: '' });
  const to = dayIn(session?.timeZone ?? 'UTC', serverNow());
  const range = { from: dayBefore(to, shownDays - 1), to, by: 'day' } as const;
  const statistics = useQuery({ ...statisticsQuery(range), enabled: session !== undefined });
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
  const summary = `: ${receivers.length}${nextPageToken === undefined ? '' : '+'} webhooks, ${active} active subscriptions`;
  return (
    <Stack gap="lg">
      <PageHeading title="Overview" />
      <Verdict summary={summary} />
      {currencies.length > 1 && (
        <SegmentedControl<string>
          aria-label="Currency"
          data={currencies}
          value={currency ?? ''}
          onChange={choose}
          style={{ alignSelf: 'flex-start' }}
        />
      )}
      {currency !== undefined && <Tiles rows={rows} currency={currency} />}
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
              <CountPicture rows={rows} of="Renewals" />
            </Later>
          )}
        </Panel>
        <WebhookHours />
        <Changes />
      </SimpleGrid>
    </Stack>
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
