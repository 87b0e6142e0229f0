// The own session and preferences, and in the sandbox links that sign in.

import {
  Button,
  Input,
  type MantineColorScheme,
  NativeSelect,
  SegmentedControl,
  Stack,
  Switch,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { OperatorOperations } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.ts';
import { sessionQuery, useSignOut } from '../api/session.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { Fields } from '../parts/fields.tsx';
import { Instant } from '../parts/instant.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { Panel } from '../parts/panel.tsx';
import { useSingleKeys, useZoneChoice, zoneChoices } from '../parts/preferences.ts';
import { Problem } from '../parts/problem.tsx';
import { SecretDialog, type ShownSecret } from '../parts/secret-dialog.tsx';
import { isProduction, origin } from '../runtime/page.ts';

type Role = Parameters<OperatorOperations['createConsoleLink']>[0]['role'];

export function SettingsPage() {
  return (
    <Stack gap="lg">
      <PageHeading title="Settings" />
      <OwnSession />
      <Preferences />
      {!isProduction && <SignInLinks />}
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
        <Stack gap="sm" align="flex-start">
          <Fields
            fields={{
              'Signed in as': <bdi>{session.madeBy}</bdi>,
              Role: session.role,
              Since: session.createdAt !== undefined && <Instant ms={session.createdAt} clock="real" />,
              'Ends at the latest': session.endsAt !== undefined && (
                <Instant ms={session.endsAt} clock="real" />
              ),
              Environment: session.environment,
              Server: `OpenTill ${session.version}`,
            }}
          />
          {signOut.error !== null && <Problem error={signOut.error} />}
          <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
            Sign out
          </Button>
        </Stack>
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
        <Stack gap={4}>
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
          label="Single keys act, such as / and r"
          checked={hasSingleKeys}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
      </Stack>
    </Panel>
  );
}

function SignInLinks() {
  const state = useQuery(sessionQuery);
  const [isOpen, { open, close }] = useDisclosure();
  const [role, setRole] = useState<Role>('support');
  const [link, setLink] = useState<ShownSecret>();
  return (
    <Panel title="Sign-in links" note="in the sandbox only" state={state}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          A link signs in once, within 10 minutes. What is done in its session is recorded under your name.
        </Text>
        <ActionButton operation="createConsoleLink" label="Make a link" variant="default" onAct={open} />
      </Stack>
      <ChangeDialog
        title="Make a sign-in link"
        confirmLabel={`Make a link for ${role}`}
        isOpen={isOpen}
        effects={['The first browser that opens the link is signed in with this role.']}
        change={async () => {
          const { path, endsAt } = await client.createConsoleLink({ role });
          setLink({
            what: 'sign-in link',
            value: origin + path,
            note: (
              <>
                It ends at <Instant ms={endsAt} clock="real" />.
              </>
            ),
          });
        }}
        onDone={close}
        onClose={close}
      >
        <NativeSelect
          label="Role"
          value={role}
          data={['support', 'admin']}
          onChange={(event) => setRole(event.currentTarget.value as Role)}
        />
      </ChangeDialog>
      <SecretDialog secret={link} onDone={() => setLink(undefined)} />
    </Panel>
  );
}
