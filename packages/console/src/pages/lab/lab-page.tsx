// The lab of an app in the sandbox: its clock, what can be done to it, and live what happens and what its backend asks.

import { SimpleGrid, Stack, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { labProductsQuery, refreshLab } from '../../api/lab.ts';
import { useLiveEvents } from '../../api/live-events.ts';
import { Id } from '../../parts/id.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { pageTitle } from '../../parts/page-title.ts';
import { ClockPanel } from './clock-panel.tsx';
import { DoPanel } from './do-panel.tsx';
import { EventsPanel } from './events-panel.tsx';
import { FaultsPanel } from './faults-panel.tsx';
import { LabProvider, useActs } from './lab-context.ts';
import { RequestsPanel } from './requests-panel.tsx';
import { ScenariosPanel } from './scenarios-panel.tsx';

export function LabPage() {
  useDocumentTitle(pageTitle('Lab'));
  const { packageName } = useParams({ from: '/frame/apps/$packageName/lab' });
  return <LabOfApp key={packageName} packageName={packageName} />;
}

function LabOfApp({ packageName }: { readonly packageName: string }) {
  const search = useSearch({ from: '/frame/apps/$packageName/lab' });
  const queryClient = useQueryClient();
  useLiveEvents(packageName, () => refreshLab(queryClient, packageName));
  const products = useQuery(labProductsQuery(packageName));
  const lab = useActs(packageName, products.data?.products ?? []);
  return (
    <LabProvider value={lab}>
      <Stack gap="md">
        <Stack gap={4}>
          <Title order={1} size="h2">
            Lab
          </Title>
          <Id value={packageName} what="package name" link={linkTo.app(packageName)} wraps />
        </Stack>
        <ClockPanel />
        <SimpleGrid cols={{ base: 1, lg: 3 }} spacing="md" style={{ alignItems: 'start' }}>
          <Stack gap="md">
            <DoPanel />
            <ScenariosPanel />
            <FaultsPanel />
          </Stack>
          <EventsPanel />
          <RequestsPanel search={search} />
        </SimpleGrid>
      </Stack>
    </LabProvider>
  );
}
