// The lab of an app in the sandbox: its clock, what can be done to it, and live what happens and what its backend asks. On
// a wide window it is one screen high, and its columns scroll.

import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams, useSearch } from '@tanstack/react-router';
import { callQuery } from '../../api/client.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Id } from '../../values/id.tsx';
import { LongText } from '../../values/long-text.tsx';
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

const appsMax = 200;

/** The choice of the app whose lab to open; that of an only app opens by itself. */
export function LabChoicePage() {
  const apps = useQuery(callQuery('listApps', { state: 'active', pageSize: appsMax }));
  const shown = apps.data?.apps ?? [];
  const [only] = shown;
  if (only !== undefined && shown.length === 1)
    return <Navigate {...linkTo.app(only.packageName, 'lab')} replace />;
  return (
    <Stack gap="md">
      <PageHeading title="Lab" />
      <Panel title="Choose an app" state={apps}>
        {shown.length === 0 && (
          <Empty
            text="There are no active apps."
            calls={[{ method: 'POST', path: '/apps', body: { packageName: 'com.example.game' } }]}
          />
        )}
        <Stack gap={6}>
          {shown.map(({ packageName, name }) => (
            <Text key={packageName} size="sm">
              <PageLink {...linkTo.app(packageName, 'lab')}>
                <LongText text={packageName} />
              </PageLink>{' '}
              {name !== undefined && <LongText text={name} />}
            </Text>
          ))}
          {apps.data?.nextPageToken !== undefined && (
            <Text size="sm" c="dimmed">
              The first {appsMax} apps. Find others with /.
            </Text>
          )}
        </Stack>
      </Panel>
    </Stack>
  );
}
