// The first page: what the store has, what happened last, and what failed.

import { Stack } from '@mantine/core';
import type { OperatorOperations } from '@opentill/client/operator';
import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import {
  appsQuery,
  latestPurchasesQuery,
  latestVoidsQuery,
  shownAppsMax,
  shownRowsMax,
  worstWebhooksQuery,
} from '../../api/overview.ts';
import { AppName } from '../../parts/app-name.tsx';
import { countText } from '../../parts/count-text.ts';
import { Empty } from '../../parts/empty.tsx';
import { Id } from '../../parts/id.tsx';
import { lastResponseOf } from '../../parts/last-attempt.ts';
import { LongText } from '../../parts/long-text.tsx';
import { Money } from '../../parts/money.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { joinedState, Panel } from '../../parts/panel.tsx';
import { Records } from '../../parts/records.tsx';
import { purchaseColumns } from '../purchases/purchase-columns.tsx';
import { RenewalsPanel } from './overview-renewals.tsx';

export function OverviewPage() {
  const apps = useQuery(appsQuery);
  const packageNames = apps.data?.apps.map(({ packageName }) => packageName) ?? [];
  const scope = apps.data?.nextPageToken === undefined ? undefined : `first ${shownAppsMax} apps`;
  return (
    <Stack gap="lg">
      <PageHeading title="Overview" />
      <RenewalsPanel apps={apps} packageNames={packageNames} note={scope} />
      <FailedDeliveries />
      <LatestPurchases apps={apps} packageNames={packageNames} note={scope} />
      <LatestVoids />
      <Apps apps={apps} />
    </Stack>
  );
}

type AppsQuery = UseQueryResult<Awaited<ReturnType<OperatorOperations['listApps']>>>;

interface AppsPanelProps {
  readonly apps: AppsQuery;
  readonly packageNames: readonly string[];
  readonly note: string | undefined;
}

function Apps({ apps }: { readonly apps: AppsQuery }) {
  const { apps: rows = [], nextPageToken } = apps.data ?? {};
  return (
    <Panel title="Apps" note={nextPageToken === undefined ? undefined : `first ${shownAppsMax}`} state={apps}>
      {rows.length === 0 ? (
        <Empty
          text="There are no apps yet. This call creates one:"
          calls={[{ method: 'POST', path: '/apps', body: { packageName: 'com.example.game' } }]}
        />
      ) : (
        <Records
          label="Apps"
          rows={rows}
          keyOf={({ packageName }) => packageName}
          columns={[
            { title: 'App', cell: (app) => <AppName app={app} /> },
            { title: 'Created', clock: 'real', time: ({ createdAt }) => createdAt },
          ]}
        />
      )}
    </Panel>
  );
}

function LatestPurchases({ apps, packageNames, note }: AppsPanelProps) {
  const queries = useQueries({ queries: packageNames.map(latestPurchasesQuery) });
  const rows = queries
    .flatMap(({ data }) => data?.purchases ?? [])
    .toSorted((left, right) => right.purchaseTime - left.purchaseTime)
    .slice(0, shownRowsMax);
  return (
    <Panel title="Latest purchases" note={note} state={joinedState([apps, ...queries])}>
      {rows.length === 0 ? (
        <NoPurchases packageName={packageNames[0]} />
      ) : (
        <Records
          label="Latest purchases"
          rows={rows}
          keyOf={({ packageName, purchaseId }) => `${packageName} ${purchaseId}`}
          columns={Object.values(purchaseColumns)}
        />
      )}
    </Panel>
  );
}

function NoPurchases({ packageName }: { readonly packageName: string | undefined }) {
  if (packageName === undefined) return <Empty text="There are no purchases yet." />;
  const path = `/apps/${packageName}`;
  const product = { type: 'one_time', price: 199, currency: 'EUR' };
  return (
    <Empty
      text="There are no purchases yet. These calls create a product and record a purchase:"
      calls={[
        { method: 'PUT', path: `${path}/products/coins_100`, body: product },
        { method: 'POST', path: `${path}/purchases`, body: { productId: 'coins_100' } },
      ]}
    />
  );
}

function LatestVoids() {
  const voids = useQuery(latestVoidsQuery);
  const rows = voids.data?.voids ?? [];
  return (
    <Panel title="Latest voids" state={voids}>
      {rows.length === 0 ? (
        <Empty text="No purchase was voided yet." />
      ) : (
        <Records
          label="Latest voids"
          rows={rows}
          keyOf={({ packageName, purchaseId }) => `${packageName} ${purchaseId}`}
          columns={[
            {
              title: 'Purchase',
              cell: (voided) => (
                <Id value={voided.purchaseId} what="purchase id" link={linkTo.purchase(voided)} />
              ),
            },
            {
              title: 'Time',
              clock: 'app',
              time: ({ voidedTime }) => voidedTime,
            },
            { title: 'App', cell: ({ packageName }) => <LongText text={packageName} /> },
            { title: 'By', cell: ({ voidedBy = '-' }) => <bdi>{voidedBy}</bdi> },
            {
              title: 'Reason',
              cell: ({ note, reasonCode }) => <LongText text={note ?? reasonCode ?? '-'} />,
            },
            { title: 'Price', align: 'right', cell: (voided) => <Money {...voided} /> },
          ]}
        />
      )}
    </Panel>
  );
}

function FailedDeliveries() {
  const webhooks = useQuery(worstWebhooksQuery);
  const rows = webhooks.data?.webhooks.filter(({ dead }) => dead > 0) ?? [];
  return (
    <Panel title="Failed webhook deliveries" note="worst first" state={webhooks}>
      {rows.length === 0 ? (
        <Empty text="No delivery to a webhook is dead." />
      ) : (
        <Records
          label="Failed webhook deliveries"
          rows={rows}
          keyOf={({ packageName }) => packageName}
          columns={[
            {
              title: 'App',
              cell: ({ packageName }) => (
                <Id value={packageName} what="package name" link={linkTo.app(packageName, 'webhook')} wraps />
              ),
            },
            { title: 'Dead', align: 'right', cell: ({ dead }) => countText(dead) },
            { title: 'Waiting', align: 'right', cell: ({ waiting }) => countText(waiting) },
            { title: 'Held', align: 'right', cell: ({ held }) => countText(held) },
            {
              title: 'Last attempt',
              cell: ({ last }) =>
                lastResponseOf({ attempts: last?.attempt === undefined ? [] : [last.attempt] }),
            },
          ]}
        />
      )}
    </Panel>
  );
}
