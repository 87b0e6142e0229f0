// The first page: what the store has, what happened last, and what failed.

import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { App, OperatorOperations, Purchase } from '@opentill/client/operator';
import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import {
  appsQuery,
  deadDeliveriesQuery,
  latestPurchasesQuery,
  latestVoidsQuery,
  shownAppsMax,
  shownRowsMax,
} from '../api/overview.ts';
import { Empty } from '../parts/empty.tsx';
import { Id } from '../parts/id.tsx';
import { Instant } from '../parts/instant.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Money } from '../parts/money.tsx';
import { pageTitle } from '../parts/page-title.ts';
import { joinedState, Panel } from '../parts/panel.tsx';
import { Records } from '../parts/records.tsx';
import { isProduction } from '../runtime/page.ts';
import { RenewalsPanel } from './overview-renewals.tsx';

type Delivery = Awaited<ReturnType<OperatorOperations['listDeliveries']>>['deliveries'][number];

export function OverviewPage() {
  useDocumentTitle(pageTitle('Overview'));
  const apps = useQuery(appsQuery);
  const packageNames = apps.data?.apps.map(({ packageName }) => packageName) ?? [];
  const scope = apps.data?.nextPageToken === undefined ? undefined : `first ${shownAppsMax} apps`;
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        Overview
      </Title>
      <RenewalsPanel apps={apps} packageNames={packageNames} note={scope} />
      <FailedDeliveries apps={apps} packageNames={packageNames} note={scope} />
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
            { title: 'Created', cell: ({ createdAt }) => <Instant ms={createdAt} /> },
          ]}
        />
      )}
    </Panel>
  );
}

function AppName({ app: { packageName, name, disabled } }: { readonly app: App }) {
  return (
    <Stack gap={2} align="flex-start">
      <Group gap="xs">
        <Text size="sm" fw={500} component="bdi">
          {name ?? packageName}
        </Text>
        {disabled && <Badge variant="default">disabled</Badge>}
      </Group>
      <Id value={packageName} what="package name" wraps />
    </Stack>
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
          columns={[
            {
              title: isProduction ? 'Time' : 'App time',
              cell: ({ purchaseTime }) => <Instant ms={purchaseTime} />,
            },
            { title: 'Purchase', cell: ({ purchaseId }) => <Id value={purchaseId} what="purchase id" /> },
            { title: 'App', cell: ({ packageName = '' }) => <LongText text={packageName} /> },
            { title: 'Product', cell: ({ productId }) => <LongText text={productId} /> },
            { title: 'State', cell: (purchase) => <State purchase={purchase} /> },
            { title: 'Price', align: 'right', cell: (purchase) => <Money {...purchase} /> },
          ]}
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

function State({ purchase: { purchaseState, consumptionState } }: { readonly purchase: Purchase }) {
  if (purchaseState === 1) {
    return (
      <Badge color="red" variant="light">
        voided
      </Badge>
    );
  }
  return <Badge variant="default">{consumptionState === 1 ? 'consumed' : 'completed'}</Badge>;
}

function LatestVoids() {
  const voids = useQuery(latestVoidsQuery);
  const rows = voids.data?.actions ?? [];
  return (
    <Panel title="Latest voids" note="by operators" state={voids}>
      {rows.length === 0 ? (
        <Empty text="No operator has voided a purchase yet." />
      ) : (
        <Records
          label="Latest voids"
          rows={rows}
          keyOf={({ hash }) => hash}
          columns={[
            { title: 'Time', cell: ({ time }) => <Instant ms={time} /> },
            { title: 'Purchase', cell: ({ subject = '' }) => <Id value={subject} what="purchase id" /> },
            { title: 'App', cell: ({ packageName = '' }) => <LongText text={packageName} /> },
            { title: 'By', cell: ({ madeBy }) => <bdi>{madeBy}</bdi> },
            {
              title: 'Reason',
              cell: ({ note, reasonCode }) => <LongText text={note ?? reasonCode ?? '-'} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}

function FailedDeliveries({ apps, packageNames, note }: AppsPanelProps) {
  const queries = useQueries({ queries: packageNames.map(deadDeliveriesQuery) });
  const rows = queries
    .flatMap(({ data }, index) =>
      (data?.deliveries ?? []).map((delivery) => ({ ...delivery, packageName: packageNames[index] ?? '' })),
    )
    .toSorted((left, right) => right.eventTime - left.eventTime)
    .slice(0, shownRowsMax);
  return (
    <Panel title="Failed webhook deliveries" note={note} state={joinedState([apps, ...queries])}>
      {rows.length === 0 ? (
        <Empty text="No delivery to a webhook was abandoned." />
      ) : (
        <Records
          label="Failed webhook deliveries"
          rows={rows}
          keyOf={({ packageName, id }) => `${packageName} ${id}`}
          columns={[
            {
              title: isProduction ? 'Time' : 'App time',
              cell: ({ eventTime }) => <Instant ms={eventTime} />,
            },
            { title: 'Delivery', cell: ({ id }) => <Id value={id} what="delivery id" /> },
            { title: 'App', cell: ({ packageName = '' }) => <LongText text={packageName} /> },
            { title: 'Event', cell: ({ type }) => type },
            { title: 'Last attempt', cell: (delivery) => lastResponseOf(delivery) },
          ]}
        />
      )}
    </Panel>
  );
}

function lastResponseOf({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'not attempted';
  return last.httpStatus === undefined ? (last.failure ?? 'no response') : `HTTP ${last.httpStatus}`;
}
