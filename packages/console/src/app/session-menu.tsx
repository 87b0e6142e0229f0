// Who is signed in, with which role; the color scheme; sign out.

import {
  type MantineColorScheme,
  Menu,
  SegmentedControl,
  Stack,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import type { Session } from '@opentill/client/operator';
import { useSignOut } from '../api/session.ts';
import { Author } from '../parts/author.tsx';
import { Instant } from '../parts/instant.tsx';
import { SessionTarget } from './session-target.tsx';

const schemes = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function SessionMenu({ session: { madeBy, role, endsAt, version } }: { readonly session: Session }) {
  const signOut = useSignOut();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu defaultOpened position="bottom-end" width={260} withinPortal>
      <Menu.Target>
        <SessionTarget madeBy={madeBy} />
      </Menu.Target>
      <Menu.Dropdown>
        <Stack gap="xxs" px="sm" py="xs">
          <Text size="sm" fw={500}>
            <Author madeBy={madeBy} />
          </Text>
          <Text size="xs" c="dimmed">
            Role {role}
          </Text>
          {endsAt !== undefined && (
            <Text size="xs" c="dimmed">
              Signed in until <Instant ms={endsAt} />
            </Text>
          )}
          <Text size="xs" c="dimmed">
            OpenTill {version}
          </Text>
        </Stack>
        <Menu.Divider />
        <Stack gap="xxs" px="sm" py="xs">
          <SegmentedControl
            aria-label="Color scheme"
            size="xs"
            fullWidth
            data={schemes}
            value={colorScheme}
            onChange={(value) => setColorScheme(value as MantineColorScheme)}
          />
        </Stack>
        <Menu.Divider />
        <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
