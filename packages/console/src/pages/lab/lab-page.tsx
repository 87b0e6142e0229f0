// The lab of an app in the sandbox: its clock, what can be done to it, and live what happens and what its backend asks. On
// a wide window it is one screen high, and its columns scroll.

import { Group, SimpleGrid, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { clockQuery, labProductsQuery } from '../../api/lab.ts';
import { Id } from '../../parts/id.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { ClockStrip } from './clock-strip.tsx';
import { DoPanel } from './do-panel.tsx';
import { EventsPanel } from './events-panel.tsx';
import { FaultsPanel } from './faults-panel.tsx';
import { LabProvider, useActs } from './lab-context.ts';
import { RequestsPanel } from './requests-panel.tsx';

export function LabPage() {
  usePageTitle('Lab');
  const { packageName } = useParams({ from: '/frame/apps/$packageName/lab' });
  return <LabOfApp key={packageName} packageName={packageName} />;
}

function LabOfApp({ packageName }: { readonly packageName: string }) {
  const search = useSearch({ from: '/frame/apps/$packageName/lab' });
  const isAnswering = useQuery(clockQuery(packageName)).error === null;
  const products = useQuery(labProductsQuery(packageName));
  const lab = useActs({ packageName, products: products.data?.products ?? [], isAnswering });
  return (
    <LabProvider value={lab}>
      <Stack gap="sm" className="lab">
        <Group gap="sm">
          <Title order={1}>Lab</Title>
          <Id value={packageName} what="package name" link={linkTo.app(packageName)} wraps />
        </Group>
        <ClockStrip />
        <SimpleGrid cols={{ base: 1, lg: 3 }} spacing="md" className="lab-columns">
          <Stack gap="md">
            <DoPanel />
            <FaultsPanel />
          </Stack>
          <EventsPanel />
          <RequestsPanel search={search} />
        </SimpleGrid>
      </Stack>
    </LabProvider>
  );
}
