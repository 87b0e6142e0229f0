// The choice of the app whose lab to open; that of an only app opens by itself.

import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { Empty } from '../../parts/empty.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';

const appsMax = 200;

export function LabChoicePage() {
  const apps = useQuery({
    queryKey: ['apps', 'labs'],
    queryFn: ({ signal }) => client.listApps({ state: 'active', pageSize: appsMax }, { signal }),
  });
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
