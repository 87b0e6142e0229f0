// The bar: environment, health, the find box, session.

import { AppShell, Burger, Group, Text } from '@mantine/core';
import type { Session } from '@opentill/client/operator';
import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense } from 'react';
import { EnvironmentBadge } from '../parts/environment.tsx';
import { isProduction } from '../runtime/page.ts';
import { FindBox } from './find-box.tsx';
import { HealthDot } from './health-dot.tsx';

const SessionMenu = lazyRouteComponent(() => import('./session-menu.tsx'), 'SessionMenu');

/** The find box stays where it is, whatever they contain. */
const sides = { base: '0 1 auto', sm: 1 } as const;

interface HeaderProps {
  readonly session: Session;
  readonly isNavigationOpen: boolean;
  readonly onToggleNavigation: () => void;
}

export function Header({ session, isNavigationOpen, onToggleNavigation }: HeaderProps) {
  return (
    <AppShell.Header {...(isProduction && { bg: 'dark.8', c: 'white' })}>
      <Group h="100%" px={{ base: 'xs', sm: 'md' }} gap="xs" justify="space-between" wrap="nowrap">
        <Group gap="sm" wrap="nowrap" flex={sides}>
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
        <FindBox />
        <Group justify="flex-end" flex={sides}>
          <Suspense>
            <SessionMenu session={session} />
          </Suspense>
        </Group>
      </Group>
    </AppShell.Header>
  );
}
