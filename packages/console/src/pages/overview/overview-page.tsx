// The first page: whether something needs attention, and how today is going.

import { SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { SessionClient } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { useAttention } from '../../api/attention.ts';
import { callQuery, refreshEveryMs } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { actionColumn, changedAppColumn, isChange } from '../../parts/action-labels.tsx';
import { Author } from '../../parts/author.tsx';
import { Empty } from '../../parts/empty.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Panel, PanelContent } from '../../parts/panel.tsx';
import { useChosenApp } from '../../parts/preferences.ts';
import { Records } from '../../parts/records.tsx';
import { isProduction } from '../../runtime/page.ts';
import { dayAfter, dayIn } from '../../values/days.ts';
import { useInstantText } from '../../values/instant.tsx';
import { useAppNow } from '../reports/app-now.ts';
import { currenciesOf, seriesOf, sumOf } from '../reports/statistic-series.ts';
import { Tiles } from './tiles.tsx';
import { Verdict } from './verdict.tsx';

/** Loaded after the page: most of its code. */
const pictures = () => import('../reports/statistic-pictures.tsx');
const SalesPicture = lazyRouteComponent(pictures, 'SalesPicture');
const RenewalsPicture = lazyRouteComponent(pictures, 'RenewalsPicture');

const shownDays = 30;

export function OverviewPage() {
  const session = useQuery(sessionQuery).data?.session;
  const [wanted, choose] = useLocalStorage<string>({ key: 'opentill-overview-currency', defaultValue: '' });
  const [chosen] = useChosenApp();
  const chosenNow = useAppNow(isProduction ? undefined : chosen);
  const packageName = isProduction || chosenNow.isUnknown === true ? undefined : chosen;
  const { now } = chosenNow;
  const to = dayIn(session?.timeZone ?? 'UTC', now ?? 0);
  const range = { from: dayAfter(to, 1 - shownDays), to, by: 'day' } as const;
  const shown = { ...range, packageName };
  const save = (client: SessionClient) => client.getStatistics(shown);
  const statistics = useQuery({
    ...callQuery('getStatistics', shown),
    refetchInterval: refreshEveryMs,
    enabled: session !== undefined && now !== undefined,
  });
  const isPending = useAttention().isPending || statistics.isPending;
  const { data } = statistics;
  const currencies = data === undefined ? [] : currenciesOf(data);
  const currency = currencies.find((known) => known === wanted) ?? currencies[0];
  const rows = data === undefined || currency === undefined ? [] : seriesOf(data, currency, range);
  const isZero = (...names: readonly Parameters<typeof sumOf>[1][]) =>
    names.every((name) => sumOf(rows, name) === 0);
  return (
    <Stack gap="lg">
      <PageHeading title="Overview" />
      {/* All at once, so that nothing moves. */}
      <PanelContent state={{ ...statistics, isPending, error: null, data: true }}>
        <Verdict />
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
            unpaid={data?.unpaid.find((entry) => entry.currency === currency)?.subscriptions ?? 0}
            search={{ packageName, currency, ...(packageName !== undefined && { to }) }}
          />
        )}
        <SimpleGrid cols={{ base: 1, lg: currency === undefined ? 1 : 2 }} spacing="lg">
          <Panel title="Sales and voids, 30 days" state={statistics}>
            {currency === undefined ? (
              <NothingSold />
            ) : (
              <Deferred isEmpty={isZero('soldAmount', 'voidedAmount')}>
                <SalesPicture rows={rows} currency={currency} save={save} />
              </Deferred>
            )}
          </Panel>
          {currency !== undefined && (
            <Panel title="Renewals, 30 days" state={statistics}>
              <Deferred isEmpty={isZero('renewedFirst', 'renewedLater', 'lost', 'open')}>
                <RenewalsPicture rows={rows} save={save} />
              </Deferred>
            </Panel>
          )}
        </SimpleGrid>
        <Changes />
      </PanelContent>
    </Stack>
  );
}

interface ScopeNoteProps {
  readonly packageName: string | undefined;
  readonly now: number | undefined;
}

/** Says which apps the numbers below are about. */
function ScopeNote({ packageName, now }: ScopeNoteProps) {
  const instantText = useInstantText();
  const all =
    'Numbers of all apps by real days. Each app of a sandbox has its own clock: choose an app above the navigation to see its own days.';
  const ofApp = `Numbers of ${packageName}, by its clock: now ${now === undefined ? '' : instantText(now)}`;
  return (
    <Text size="sm" c="dimmed">
      {packageName === undefined ? all : ofApp}
    </Text>
  );
}

/** About as high as a picture with its table switch. */
const pictureHeight = 260;

/** As high as the sentence of a picture without values. */
const sentenceHeight = 20;

interface DeferredProps {
  readonly isEmpty: boolean;
  readonly children: ReactNode;
}

function Deferred({ isEmpty, children }: DeferredProps) {
  return (
    <Suspense fallback={<Skeleton height={isEmpty ? sentenceHeight : pictureHeight} />}>{children}</Suspense>
  );
}

function NothingSold() {
  const path = '/apps/com.example.game';
  const product = { type: 'oneTime', price: 199, currency: 'EUR' };
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

/** More are read than shown, because sign-ins and files change nothing. The rest is in the audit trail. */
const changesMax = { read: 50, shown: 8 } as const;

/** The latest changes by operators. */
function Changes() {
  const changes = useQuery({
    ...callQuery('listActions', { pageSize: changesMax.read }),
    refetchInterval: refreshEveryMs,
  });
  const { actions = [] } = changes.data ?? {};
  const shown = actions.filter(isChange).slice(0, changesMax.shown);
  return (
    <Panel title="Latest changes" state={changes}>
      {shown.length === 0 ? (
        <Empty text="No operator has changed anything." />
      ) : (
        <Records
          label="Latest changes"
          rows={shown}
          keyOf={({ packageName, order }) => `${packageName} ${order}`}
          columns={[
            { title: 'Time', clock: 'real', time: ({ time }) => time },
            actionColumn,
            changedAppColumn,
            { title: 'By', cell: ({ madeBy }) => <Author madeBy={madeBy} /> },
          ]}
        />
      )}
      <Text size="sm">
        <PageLink to="/audit" underline="always">
          Open the audit trail
        </PageLink>
      </Text>
    </Panel>
  );
}
