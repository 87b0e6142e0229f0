// The renewals of all apps, the session of the page, settings of the server, and preferences.

import {
  Button,
  Input,
  type MantineColorScheme,
  NativeSelect,
  SegmentedControl,
  Stack,
  Switch,
  useMantineColorScheme,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery, useSignOut } from '../api/session.ts';
import { Author } from '../parts/author.tsx';
import { Fields } from '../parts/fields.tsx';
import { Instant } from '../parts/instant.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { Panel } from '../parts/panel.tsx';
import { useSingleKeys, useZoneChoice, zoneChoices } from '../parts/preferences.ts';
import { Problem } from '../parts/problem.tsx';
import { RenewalsPanel } from './renewals/renewals-panel.tsx';

export function SettingsPage() {
  return (
    <Stack gap="lg">
      <PageHeading title="Settings" />
      <RenewalsPanel />
      <OwnSession />
      <Server />
      <Preferences />
    </Stack>
  );
}

function OwnSession() {
  const state = useQuery(sessionQuery);
  const signOut = useSignOut();
  const session = state.data?.session;
  return (
    <Panel title="Session" state={state}>
      {session !== undefined && (
        <Stack gap="sm">
          <Fields
            fields={{
              'Signed in as': <Author madeBy={session.madeBy} />,
              Role: session.role,
              Since: session.createdAt !== undefined && <Instant ms={session.createdAt} clock="real" />,
              'Ends at the latest': session.endsAt !== undefined && (
                <Instant ms={session.endsAt} clock="real" />
              ),
            }}
          />
          {signOut.error !== null && <Problem error={signOut.error} />}
          <Button
            variant="default"
            style={{ alignSelf: 'flex-start' }}
            loading={signOut.isPending}
            onClick={() => signOut.mutate()}
          >
            Sign out
          </Button>
        </Stack>
      )}
    </Panel>
  );
}

/** What the server was started with, as far as the console shows it. */
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
            'Unit of prices': session.priceUnit,
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
  const storeZone = state.data?.session?.timeZone;
  return (
    <Panel title="Preferences" note="of this browser" state={state}>
      <Stack gap="md" align="flex-start">
        <NativeSelect
          label="Time zone of instants"
          value={zone}
          data={Object.entries(zoneChoices).map(([value, label]) => ({
            value,
            label: value === 'store' ? `${label} (${storeZone})` : label,
          }))}
          onChange={(event) => setZone(event.currentTarget.value as typeof zone)}
        />
        <Stack gap="xxs">
          <Input.Label labelElement="div" id="scheme">
            Colors
          </Input.Label>
          <SegmentedControl
            aria-labelledby="scheme"
            value={colorScheme}
            data={Object.entries(schemes).map(([value, label]) => ({ value, label }))}
            onChange={(value) => setColorScheme(value as MantineColorScheme)}
          />
        </Stack>
        <Switch
          label="Single keys act, such as / and v"
          checked={hasSingleKeys}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
      </Stack>
    </Panel>
  );
}
