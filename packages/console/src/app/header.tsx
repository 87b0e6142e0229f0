// The bar: environment, health, the palette, session.

import { ActionIcon, AppShell, Burger, Button, Group, Kbd, Text } from '@mantine/core';
import type { Session } from '@opentill/client/operator';
import { IconSearch } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense } from 'react';
import { EnvironmentBadge } from '../parts/environment.tsx';
import { isProduction } from '../runtime/page.ts';
import { HealthDot } from './health-dot.tsx';

const SessionMenu = lazyRouteComponent(() => import('./session-menu.tsx'), 'SessionMenu');

interface HeaderProps {
  readonly session: Session;
  readonly isNavigationOpen: boolean;
  readonly onToggleNavigation: () => void;
  readonly onFind: () => void;
}

export function Header({ session, isNavigationOpen, onToggleNavigation, onFind }: HeaderProps) {
  return (
    <AppShell.Header {...(isProduction && { bg: 'dark.8', c: 'white' })}>
      <Group h="100%" px={{ base: 'xs', sm: 'md' }} gap="xs" justify="space-between" wrap="nowrap">
        <Group gap="sm" wrap="nowrap">
          <Burger
            opened={isNavigationOpen}
            onClick={onToggleNavigation}
            hiddenFrom="sm"
            size="sm"
            {...(isProduction && { color: 'white' })}
            aria-label={isNavigationOpen ? 'Close the navigation' : 'Open the navigation'}
          />
          <Text fw={600} size="lg" visibleFrom="sm">
            OpenTill
          </Text>
          <EnvironmentBadge />
          <HealthDot />
        </Group>
        <Button
          visibleFrom="sm"
          variant="default"
          fw={400}
          flex={1}
          maw={380}
          styles={{ label: { flex: 1 } }}
          leftSection={<IconSearch size={16} />}
          rightSection={<Kbd size="xs">/</Kbd>}
          onClick={onFind}
        >
          Find a page, an app or a record
        </Button>
        <Group gap="xs" wrap="nowrap" style={{ minWidth: 0 }}>
          <ActionIcon
            hiddenFrom="sm"
            variant="subtle"
            color={isProduction ? 'gray.0' : 'gray'}
            size="lg"
            aria-label="Find"
            onClick={onFind}
          >
            <IconSearch size={16} />
          </ActionIcon>
          <Suspense>
            <SessionMenu session={session} />
          </Suspense>
        </Group>
      </Group>
    </AppShell.Header>
  );
}
