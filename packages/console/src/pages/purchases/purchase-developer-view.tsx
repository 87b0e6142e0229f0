// The purchase API's current responses about a purchase.

import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { developerViewQuery, type PurchaseKey } from '../../api/purchase.ts';
import { CopiedCode } from '../../parts/copied-code.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Panel } from '../../parts/panel.tsx';
import { State } from '../../parts/state.tsx';

const okMax = 299;
const indent = 2;

export function DeveloperView({ of }: { readonly of: PurchaseKey }) {
  const view = useQuery(developerViewQuery(of));
  return (
    <Panel title="What the developer sees" note="present responses of the purchase API" state={view}>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {view.data?.calls.map(({ operationId, path, httpStatus, body }) => (
          <Stack key={operationId} gap="xs">
            <Group gap="xs">
              <Text size="sm" fw={500}>
                {operationId}
              </Text>
              <State tone={httpStatus > okMax ? 'bad' : 'good'}>{httpStatus}</State>
            </Group>
            <Text size="xs" c="dimmed">
              <LongText text={`GET ${path}`} />
            </Text>
            <CopiedCode code={JSON.stringify(body, undefined, indent)} what={operationId} />
          </Stack>
        ))}
      </SimpleGrid>
    </Panel>
  );
}
