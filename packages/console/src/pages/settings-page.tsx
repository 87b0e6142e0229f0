// The renewals of all apps, settings of the server, and preferences.

import {
  Alert,
  Group,
  type MantineColorScheme,
  NativeSelect,
  Stack,
  Switch,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import type { Renewals } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { callQuery, refreshEveryMs } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { Author } from '../parts/author.tsx';
import { optionsOf } from '../parts/change-fields.tsx';
import { Fields } from '../parts/fields.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { Panel } from '../parts/panel.tsx';
import { useSingleKeys, useZoneChoice, zoneChoices } from '../parts/preferences.ts';
import { Instant } from '../values/instant.tsx';
import { LongText } from '../values/long-text.tsx';
import { RenewalsSwitch, renewalsSummary } from './renewals-switch.tsx';

export function SettingsPage() {
  return (
    <Stack gap="lg">
      <PageHeading title="Settings" />
      <StoreRenewals />
      <Server />
      <Preferences />
    </Stack>
  );
}

function StoreRenewals() {
  const renewals = useQuery({ ...callQuery('getRenewals', {}), refetchInterval: refreshEveryMs });
  const { data } = renewals;
  return (
    <Panel title="Renewals" note="all apps" state={renewals} lines={2}>
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

/** The settings of the server that the console shows. */
function Server() {
  const state = useQuery(sessionQuery);
  const session = state.data?.session;
  return (
    <Panel title="Server" state={state}>
      {session !== undefined && (
        <Fields
          fields={{
            Environment: session.environment,
            'Time zone of the store': session.timeZone,
            'Unit of prices': session.priceUnit === 'minor' ? 'minor: 499 is 4.99' : 'major: 499 is 499',
            Version: `OpenTill ${session.version}`,
          }}
        />
      )}
    </Panel>
  );
}

const schemes = { auto: 'System', light: 'Light', dark: 'Dark' };

function Preferences() {
  const state = useQuery(sessionQuery);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [zone, setZone] = useZoneChoice();
  const [hasSingleKeys, setSingleKeys] = useSingleKeys();
  const store = `${zoneChoices.store} (${state.data?.session?.timeZone})`;
  return (
    <Panel title="Preferences" note="of this browser" state={state}>
      <Stack gap="md" align="flex-start">
        <NativeSelect
          label="Time zone of dates and times"
          value={zone}
          data={optionsOf({ ...zoneChoices, store })}
          onChange={(event) => setZone(event.currentTarget.value as typeof zone)}
        />
        <NativeSelect
          label="Colors"
          value={colorScheme}
          data={optionsOf(schemes)}
          onChange={(event) => setColorScheme(event.currentTarget.value as MantineColorScheme)}
        />
        <Switch
          label="Single-key shortcuts, such as / and v"
          checked={hasSingleKeys}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
      </Stack>
    </Panel>
  );
}
