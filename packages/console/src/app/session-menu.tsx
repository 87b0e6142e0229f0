// Who is signed in, with which role; the color scheme; sign out.

import {
  Button,
  type MantineColorScheme,
  Menu,
  SegmentedControl,
  Stack,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import type { Session } from '@opentill/client/operator';
import { useSignOut } from '../api/session.ts';
import { ChevronIcon } from '../parts/icons.tsx';
import { Instant } from '../parts/instant.tsx';
import { isProduction } from '../runtime/page.ts';

const schemes = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function SessionMenu({ session: { madeBy, role, endsAt, version } }: { readonly session: Session }) {
  const signOut = useSignOut();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={260} withinPortal>
      <Menu.Target>
        <Button
          variant="subtle"
          color={isProduction ? 'gray.0' : 'gray'}
          rightSection={<ChevronIcon />}
          aria-label={`Session of ${madeBy}`}
          style={{ minWidth: 0 }}
        >
          <bdi>{madeBy.replace('operator:', '')}</bdi>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Stack gap={2} px="sm" py="xs">
          <Text size="sm" fw={500}>
            <bdi>{madeBy}</bdi>
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
        <Stack gap={4} px="sm" py="xs">
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
