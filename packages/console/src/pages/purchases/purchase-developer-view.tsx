// What the purchase API returns for a purchase at present: a line per call, which opens its response.

import { Box, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { developerViewQuery, type PurchaseKey } from '../../api/purchase.ts';
import { CopiedCode } from '../../parts/copied-code.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Panel } from '../../parts/panel.tsx';
import { State } from '../../parts/state.tsx';

const okMax = 299;
/** Usual for the calls that are not about this kind of purchase. */
const notFound = 404;
const indent = 2;

export function DeveloperView({ of }: { readonly of: PurchaseKey }) {
  const view = useQuery(developerViewQuery(of));
  return (
    <Panel title="What the developer sees" note="now, by the purchase API" state={view}>
      {view.data?.calls.map(({ operationId, path, httpStatus, body }) => (
        <details key={operationId}>
          <Box component="summary" fz="sm" style={{ cursor: 'pointer' }}>
            <Group component="span" display="inline-flex" gap="xs">
              <LongText text={operationId} />
              <State tone={toneOf(httpStatus)}>{httpStatus}</State>
            </Group>
          </Box>
          <Stack gap="xs" pt="xs">
            <Text size="xs" c="dimmed">
              <LongText text={`GET ${path}`} />
            </Text>
            <CopiedCode code={JSON.stringify(body, undefined, indent)} what={operationId} />
          </Stack>
        </details>
      ))}
    </Panel>
  );
}

function toneOf(httpStatus: number) {
  if (httpStatus <= okMax) return 'good';
  return httpStatus === notFound ? 'calm' : 'waiting';
}
