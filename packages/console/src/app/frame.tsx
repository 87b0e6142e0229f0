// The frame of every page: the bar, the navigation, keys, and sign-in above the page when the session has ended.

import { AppShell, Button, Center, Loader, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Session } from '@opentill/client/operator';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazyRouteComponent, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect } from 'react';
import { useConnection } from '../api/connection.ts';
import { readAgain, sessionQuery } from '../api/session.ts';
import { Age } from '../parts/age.tsx';
import { colors } from '../parts/colors.ts';
import { EnvironmentLine } from '../parts/environment.tsx';
import { useHeldKeys, useKeys } from '../parts/keys.ts';
import { Problem } from '../parts/problem.tsx';
import { whenIdle } from '../runtime/idle.ts';
import { focusRecord, skipToContent } from './focus.ts';
import { Header } from './header.tsx';
import { NavigationBar } from './navigation-bar.tsx';

const SignInPage = lazyRouteComponent(() => import('../pages/sign-in-page.tsx'), 'SignInPage');
const SignInAgain = lazyRouteComponent(() => import('../pages/sign-in-page.tsx'), 'SignInAgain');
const Help = lazyRouteComponent(() => import('./help.tsx'), 'Help');

const headerHeight = 56;
const navigationWidth = 220;

export function Frame() {
  const { data, error, isPending, refetch } = useQuery(sessionQuery);
  if (data === undefined) {
    return (
      <Center component="main" mih="100dvh" p="md">
        {isPending ? (
          <Loader aria-label="Loading" />
        ) : (
          <Problem error={error} onRetry={() => void refetch()} />
        )}
      </Center>
    );
  }
  if (data.session === undefined)
    return (
      <Suspense>
        <SignInPage />
      </Suspense>
    );
  return (
    <Shell session={data.session}>
      <Outlet />
      <Suspense>{data.hasEnded && <SignInAgain />}</Suspense>
    </Shell>
  );
}

function Shell({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  useHeldKeys(isHelpOpen);
  const { isLost, lastResponseAt } = useConnection();
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigating closes the drawer
  useEffect(close, [pathname]);
  const { routesById } = useRouter();
  // Pages open at once, and during an outage too.
  useEffect(() => {
    whenIdle(() => {
      for (const { options } of Object.values(routesById)) void options.component?.preload?.();
    });
  }, [routesById]);
  useKeys({ '?': help.open, j: () => focusRecord(1), k: () => focusRecord(-1) });
  return (
    <AppShell
      header={{ height: headerHeight }}
      navbar={{ width: navigationWidth, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="lg"
    >
      <Button className="skip-link" variant="default" onClick={skipToContent}>
        Skip to the content
      </Button>
      <EnvironmentLine />
      <Header session={session} isNavigationOpen={isOpen} onToggleNavigation={toggle} />
      <AppShell.Navbar p="xs" aria-label="Pages">
        <NavigationBar />
      </AppShell.Navbar>
      <AppShell.Main>
        {isLost && <LostConnection lastResponseAt={lastResponseAt} />}
        {children}
      </AppShell.Main>
      <Suspense>{isHelpOpen && <Help onClose={help.close} />}</Suspense>
    </AppShell>
  );
}

/** One line with the age of what the pages show. They read it again when the server responds. */
function LostConnection({ lastResponseAt }: { readonly lastResponseAt: number | undefined }) {
  const queryClient = useQueryClient();
  useEffect(() => () => void readAgain(queryClient), [queryClient]);
  return (
    <Text className="connection-bar" bg={colors.bad.soft} size="sm" px="lg" py="xs">
      <b role="status">The server is not responding.</b>
      {lastResponseAt !== undefined && (
        <>
          {' '}
          What is shown is <Age since={lastResponseAt} /> old.
        </>
      )}
    </Text>
  );
}
