// The lab of an app in the sandbox: its clock, what can be done to it, and live what happens and what its backend asks. On
// a wide window it is one screen high, and its columns scroll.

import { Group, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams, useSearch } from '@tanstack/react-router';
import { callQuery } from '../../api/client.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { PanelContent } from '../../parts/panel.tsx';
import { useChosenApp } from '../../parts/preferences.ts';
import { Id } from '../../values/id.tsx';
import { ClockStrip } from './clock-strip.tsx';
import { DoPanel } from './do-panel.tsx';
import { FaultsPanel } from './faults-panel.tsx';
import { EventsPanel, RequestsPanel } from './feeds.tsx';
import { LabProvider, useActs } from './lab-context.ts';

export function LabPage() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName/lab' });
  return <LabOfApp key={packageName} packageName={packageName} />;
}

function LabOfApp({ packageName }: { readonly packageName: string }) {
  const search = useSearch({ from: '/frame/apps/$packageName/lab' });
  // Its strip is as high as its stops are many.
  const clock = useQuery(callQuery('getClock', { packageName }));
  return (
    <LabProvider value={useActs(packageName)}>
      <Stack gap="sm" className="lab">
        <Group gap="sm">
          <PageHeading title="Lab" />
          <Id value={packageName} what="package name" link={linkTo.app(packageName)} wraps />
        </Group>
        <ClockStrip />
        {!clock.isPending && (
          <SimpleGrid cols={{ base: 1, lg: 3 }} spacing="md" className="lab-columns">
            <Stack gap="md">
              <DoPanel />
              <FaultsPanel />
            </Stack>
            <EventsPanel />
            <RequestsPanel search={search} />
          </SimpleGrid>
        )}
      </Stack>
    </LabProvider>
  );
}

/** The only app of a sandbox opens by itself, and so does one that is chosen above the navigation. */
export function LabChoicePage() {
  const apps = useQuery(callQuery('listApps', { state: 'active', pageSize: 2 }));
  const [chosen] = useChosenApp();
  const [only, other] = apps.data?.apps ?? [];
  const packageName = chosen ?? (other === undefined ? only?.packageName : undefined);
  if (packageName !== undefined) return <Navigate {...linkTo.app(packageName, 'lab')} replace />;
  return (
    <Stack gap="md">
      <PageHeading title="Lab" />
      <PanelContent state={apps}>
        <Empty
          text={only === undefined ? 'There are no active apps.' : 'Choose an app above the navigation.'}
          calls={
            only === undefined
              ? [{ method: 'POST', path: '/apps', body: { packageName: 'com.example.game' } }]
              : []
          }
        />
      </PanelContent>
    </Stack>
  );
}
