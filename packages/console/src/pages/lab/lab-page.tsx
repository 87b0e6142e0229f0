// The lab of an app in the sandbox: its clock, what can be done to it, and live what happens and what its backend asks. On
// a wide window it is one screen high, and its columns scroll; on a narrow one the clock stays and the columns are tabs.

import { Box, Group, Stack, Tabs, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { labProductsQuery } from '../../api/lab.ts';
import { useLiveLab } from '../../api/live-lab.ts';
import type { Search } from '../../parts/filter-fields.ts';
import { Id } from '../../parts/id.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { ClockStrip } from './clock-strip.tsx';
import { DoPanel } from './do-panel.tsx';
import { EventsPanel } from './events-panel.tsx';
import { FaultsPanel } from './faults-panel.tsx';
import { LabProvider, useActs } from './lab-context.ts';
import { screenHeight } from './lab-sizes.ts';
import { useNewRequests } from './new-requests.ts';
import { requestFilterOf } from './request-fields.ts';
import { RequestsPanel } from './requests-panel.tsx';

/** From here on, three columns fit next to the navigation. */
const wide = '(min-width: 75em)';

export function LabPage() {
  usePageTitle('Lab');
  const { packageName } = useParams({ from: '/frame/apps/$packageName/lab' });
  return <LabOfApp key={packageName} packageName={packageName} />;
}

function LabOfApp({ packageName }: { readonly packageName: string }) {
  const search = useSearch({ from: '/frame/apps/$packageName/lab' });
  const isAnswering = useLiveLab({ packageName, ...requestFilterOf(search) });
  const products = useQuery(labProductsQuery(packageName));
  const lab = useActs({ packageName, products: products.data?.products ?? [], isAnswering });
  const isWide = useMediaQuery(wide, undefined, { getInitialValueInEffect: false }) === true;
  const columns = {
    do: (
      <Stack gap="md">
        <DoPanel />
        <FaultsPanel />
      </Stack>
    ),
    happened: <EventsPanel />,
    asked: <RequestsPanel search={search} />,
  };
  return (
    <LabProvider value={lab}>
      <Stack gap="sm" {...(isWide && { h: screenHeight })}>
        <Group gap="sm">
          <Title order={1}>Lab</Title>
          <Id value={packageName} what="package name" link={linkTo.app(packageName)} wraps />
        </Group>
        <ClockStrip isWide={isWide} />
        {isWide ? <Columns {...columns} /> : <ColumnTabs {...columns} search={search} />}
      </Stack>
    </LabProvider>
  );
}

interface ColumnsProps {
  readonly do: ReactNode;
  readonly happened: ReactNode;
  readonly asked: ReactNode;
}

function Columns({ do: acts, happened, asked }: ColumnsProps) {
  return (
    <Group gap="md" wrap="nowrap" align="stretch" mih={0} flex={1}>
      <Column>{acts}</Column>
      <Column>{happened}</Column>
      <Column>{asked}</Column>
    </Group>
  );
}

function Column({ children }: { readonly children: ReactNode }) {
  return (
    <Box flex={1} miw={0} style={{ overflowY: 'auto' }}>
      {children}
    </Box>
  );
}

function ColumnTabs({ do: acts, happened, asked, search }: ColumnsProps & { readonly search: Search }) {
  const [tab, setTab] = useState<string | null>('do');
  const newCount = useNewRequests(search, tab === 'asked');
  return (
    <Tabs value={tab} onChange={setTab}>
      <Tabs.List grow>
        <Tabs.Tab value="do">Do</Tabs.Tab>
        <Tabs.Tab value="happened">Happened</Tabs.Tab>
        <Tabs.Tab value="asked">{newCount === 0 ? 'Asked' : `Asked (${newCount} new)`}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="do" pt="sm">
        {acts}
      </Tabs.Panel>
      <Tabs.Panel value="happened" pt="sm">
        {happened}
      </Tabs.Panel>
      <Tabs.Panel value="asked" pt="sm">
        {asked}
      </Tabs.Panel>
    </Tabs>
  );
}
