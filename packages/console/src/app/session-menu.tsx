// The name and role of the session, and sign-out.

import { Box, Button, Popover, Stack, Text } from '@mantine/core';
import type { Session } from '@opentill/client/operator';
import { IconChevronDown, IconUser } from '@tabler/icons-react';
import { useSignOut } from '../api/session.ts';
import { Author, authorText } from '../parts/author.tsx';
import { isProduction } from '../runtime/page.ts';
import { Instant } from '../values/instant.tsx';

export function SessionMenu({ session: { madeBy, role, endsAt, version } }: { readonly session: Session }) {
  const signOut = useSignOut();
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          color={isProduction ? 'gray.0' : 'gray'}
          rightSection={<IconChevronDown size={16} />}
          aria-label={`Session of ${authorText(madeBy)}`}
          px={{ base: 'xs', sm: 'md' }}
          style={{ minWidth: 0 }}
        >
          <Box component={IconUser} size={16} hiddenFrom="sm" />
          <Box component="span" visibleFrom="sm">
            <Author madeBy={madeBy} />
          </Box>
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" align="flex-start">
          <Text size="sm">
            <Author madeBy={madeBy} />, role {role}
          </Text>
          {endsAt !== undefined && (
            <Text size="sm">
              Signed in until <Instant ms={endsAt} />
            </Text>
          )}
          <Text size="sm">OpenTill {version}</Text>
          <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
            Sign out
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
