// The frame of every page: the bar with environment and session, the navigation, and sign-in above the page when the
// session has ended.

import { AppShell, Burger, Center, Group, Loader, Modal, NavLink, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Session } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { sessionQuery } from '../api/session.ts';
import { SignInForm, SignInPage } from '../pages/sign-in-page.tsx';
import { EnvironmentBadge, EnvironmentOutline } from '../parts/environment.tsx';
import { BookIcon, OverviewIcon } from '../parts/icons.tsx';
import { Problem } from '../parts/problem.tsx';
import { isProduction } from '../runtime/page.ts';
import { SessionMenu } from './session-menu.tsx';

const headerHeight = 56;
const navigationWidth = 220;

export function Frame() {
  const { data, error, isPending, refetch } = useQuery(sessionQuery);
  if (isPending) {
    return (
      <Center mih="100dvh">
        <Loader aria-label="Loading" />
      </Center>
    );
  }
  if (error !== null) {
    return (
      <Center component="main" mih="100dvh" p="md">
        <Problem error={error} onRetry={() => void refetch()} />
      </Center>
    );
  }
  if (data.session === undefined) return <SignInPage />;
  return (
    <Shell session={data.session}>
      <Outlet />
      <SignInAgain isOpen={data.hasEnded} />
    </Shell>
  );
}

/** Not closable: what was typed on the page stays, and every call needs a session. */
function SignInAgain({ isOpen }: { readonly isOpen: boolean }) {
  return (
    <Modal.Root opened={isOpen} onClose={() => undefined} closeOnEscape={false} centered>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body p="lg">
          <Stack gap="md">
            <Modal.Title fz="h3" fw={700}>
              Your session has ended
            </Modal.Title>
            <SignInForm />
          </Stack>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Shell({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigating closes the drawer
  useEffect(close, [path]);
  return (
    <AppShell
      header={{ height: headerHeight }}
      navbar={{ width: navigationWidth, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="lg"
    >
      <EnvironmentOutline />
      <AppShell.Header {...(isProduction && { bg: 'dark.8', c: 'white' })}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
            />
            <Text fw={700} size="lg">
              OpenTill
            </Text>
            <EnvironmentBadge />
          </Group>
          <SessionMenu session={session} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <NavLink
          component={Link}
          to="/"
          label="Overview"
          color="gray"
          leftSection={<OverviewIcon />}
          active={path === '/'}
        />
        <NavLink href="/docs" target="_blank" label="API reference" leftSection={<BookIcon />} />
      </AppShell.Navbar>
      <AppShell.Main>{children}</AppShell.Main>
    </AppShell>
  );
}
