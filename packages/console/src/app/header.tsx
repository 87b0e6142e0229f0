// The bar: environment, health, time zone, session.

import {
  ActionIcon,
  type ActionIconProps,
  AppShell,
  Box,
  Burger,
  Group,
  NativeSelect,
  Text,
} from '@mantine/core';
import type { Session } from '@opentill/client/operator';
import { IconSearch } from '@tabler/icons-react';
import { createLink } from '@tanstack/react-router';
import { EnvironmentBadge } from '../parts/environment.tsx';
import { FindBox } from '../parts/find-box.tsx';
import { useZoneChoice, zoneChoices } from '../parts/preferences.ts';
import { isProduction } from '../runtime/page.ts';
import { HealthDot } from './health-dot.tsx';
import { SessionButton } from './session-button.tsx';

interface HeaderProps {
  readonly session: Session;
  readonly isNavigationOpen: boolean;
  readonly onToggleNavigation: () => void;
}

export function Header({ session, isNavigationOpen, onToggleNavigation }: HeaderProps) {
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
        <Box visibleFrom="sm" flex={1} maw={380}>
          <FindBox size="xs" />
        </Box>
        <Group gap="xs" wrap="nowrap" style={{ minWidth: 0 }}>
          <FindLink
            to="/find"
            hiddenFrom="sm"
            variant="subtle"
            color={isProduction ? 'gray.0' : 'gray'}
            size="lg"
            aria-label="Find"
          >
            <IconSearch size={16} />
          </FindLink>
          <ZoneSwitch timeZone={session.timeZone} />
          <SessionButton session={session} />
        </Group>
      </Group>
    </AppShell.Header>
  );
}

const FindLink = createLink((props: ActionIconProps) => <ActionIcon component="a" {...props} />);

function ZoneSwitch({ timeZone }: { readonly timeZone: string }) {
  const [choice, setChoice] = useZoneChoice();
  return (
    <NativeSelect
      aria-label="Time zone"
      size="xs"
      // On a narrow screen, the settings have it.
      visibleFrom="sm"
      w={110}
      value={choice}
      data={Object.entries(zoneChoices).map(([value, label]) => ({
        value,
        label: value === 'store' ? timeZone : label,
      }))}
      onChange={(event) => setChoice(event.currentTarget.value as keyof typeof zoneChoices)}
    />
  );
}
