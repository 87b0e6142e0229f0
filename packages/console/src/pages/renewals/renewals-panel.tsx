// Whether the renewals of all apps run, what is due, and the buttons that pause and resume them.

import { Alert, Group, Stack, Text } from '@mantine/core';
import type { Renewals } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { renewalsQuery } from '../../api/overview.ts';
import { Author } from '../../parts/author.tsx';
import { Instant } from '../../parts/instant.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Panel } from '../../parts/panel.tsx';
import { renewalsSummary } from './renewals-summary.ts';
import { RenewalsSwitch } from './renewals-switch.tsx';

export function RenewalsPanel() {
  const renewals = useQuery(renewalsQuery());
  const { data } = renewals;
  return (
    <Panel title="Renewals" note="all apps" state={renewals}>
      {data !== undefined && (
        <Stack gap="sm">
          {data.hold !== undefined && (
            <Alert color="waiting" title="Renewals are stopped">
              {data.hold.message}
            </Alert>
          )}
          {data.paused && <Paused renewals={data} />}
          <Text size="sm">{renewalsSummary(data)}</Text>
          <Group gap="xs">
            <RenewalsSwitch renewals={data} />
          </Group>
        </Stack>
      )}
    </Panel>
  );
}

function Paused({ renewals: { pauses } }: { readonly renewals: Renewals }) {
  const pause = pauses.find(({ scope }) => scope === 'store');
  return (
    <Alert color="waiting" title="Renewals of all apps are paused">
      Nobody is charged, and no subscription expires.
      {pause !== undefined && (
        <>
          {' '}
          Since <Instant ms={pause.since} clock="real" /> by <Author madeBy={pause.madeBy ?? 'unknown'} />
          {pause.reason !== undefined && (
            <>
              : <LongText text={pause.reason} />
            </>
          )}
        </>
      )}
    </Alert>
  );
}
