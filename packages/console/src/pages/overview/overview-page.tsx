// The first page: whether something needs attention, and how today is going.

import { Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { SessionClient } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
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
import { useInstantText } from '../../values/instant.tsx';
import { useAppNow } from '../reports/app-now.ts';
import { Charts, CurrencyChoice, PartialNote } from '../reports/statistic-pictures.tsx';
import { currenciesOf, seriesOf } from '../reports/statistic-series.ts';
import { overviewQuery, overviewRange } from './overview-query.ts';
import { Tiles } from './tiles.tsx';
import { Verdict } from './verdict.tsx';

export function OverviewPage() {
  const session = useQuery(sessionQuery).data?.session;
  const [wanted, choose] = useLocalStorage<string>({ key: 'opentill-overview-currency', defaultValue: '' });
  const [chosen] = useChosenApp();
  const chosenNow = useAppNow(isProduction ? undefined : chosen);
  const packageName = isProduction || chosenNow.isUnknown === true ? undefined : chosen;
  const { now } = chosenNow;
  const range = overviewRange(session?.timeZone ?? 'UTC', now ?? 0);
  const save = (client: SessionClient) => client.getStatistics({ ...range, by: 'day', packageName });
  const statistics = useQuery({
    ...overviewQuery(range, packageName),
    refetchInterval: refreshEveryMs,
    enabled: session !== undefined && now !== undefined,
  });
  const isPending = useAttention().isPending || statistics.isPending;
  const { data } = statistics;
  const currencies = data === undefined ? [] : currenciesOf(data);
  const currency = currencies.find((known) => known === wanted) ?? currencies[0];
  const rows = data === undefined || currency === undefined ? [] : seriesOf(data, currency, range);
  return (
    <Stack gap="lg">
      <PageHeading title="Overview" />
      {/* All at once, so that nothing moves. */}
      <PanelContent state={{ ...statistics, isPending, error: null, data: true }}>
        <Verdict />
        {!isProduction && <ScopeNote packageName={packageName} now={now} />}
        <PartialNote statistics={data} />
        <CurrencyChoice label="Currency" {...{ currencies, currency: currency ?? '' }} onChange={choose} />
        {currency !== undefined && (
          <Tiles
            rows={rows}
            currency={currency}
            unpaid={data?.unpaid.find((entry) => entry.currency === currency)?.subscriptions ?? 0}
            search={{ packageName, currency, ...(packageName !== undefined && { to: range.to }) }}
          />
        )}
        {currency === undefined ? (
          <Panel title="Sales, 30 days" state={statistics}>
            <NothingSold />
          </Panel>
        ) : (
          <Charts state={statistics} rows={rows} currency={currency} save={save} />
        )}
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
