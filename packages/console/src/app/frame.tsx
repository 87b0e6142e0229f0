// The frame of every page: the bar, the navigation, keys, and sign-in above the page when the session has ended.

import { AppShell, Button, Center, Loader } from '@mantine/core';
import { useDisclosure, useFavicon } from '@mantine/hooks';
import type { Session } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { usePolledAttentionCount } from '../api/overview.ts';
import { sessionQuery } from '../api/session.ts';
import { EnvironmentLine } from '../parts/environment.tsx';
import { lazyPage, preloadPages } from '../parts/lazy-page.tsx';
import { Problem } from '../parts/problem.tsx';
import { whenIdle } from '../runtime/idle.ts';
import { ConnectionBar } from './connection-bar.tsx';
import { iconOf } from './favicon.ts';
import { Header } from './header.tsx';
import { skipToContent } from './heading-focus.ts';
import { useKeyboard } from './keyboard.ts';
import { NavigationBar } from './navigation-bar.tsx';
import type { OverlayName } from './overlays.tsx';

const SignInPage = lazyPage(() => import('../pages/sign-in-page.tsx'), 'SignInPage');
const SignInAgain = lazyPage(() => import('./sign-in-again.tsx'), 'SignInAgain');
const Overlays = lazyPage(() => import('./overlays.tsx'), 'Overlays');

const headerHeight = 56;
const navigationWidth = 220;

export function Frame() {
  const { data, error, isPending, refetch } = useQuery(sessionQuery);
  const attentionCount = usePolledAttentionCount();
  useFavicon(iconOf(attentionCount !== undefined && attentionCount > 0));
  if (isPending) {
    return (
      <Center mih="100dvh">
        <Loader aria-label="Loading" />
      </Center>
    );
  }
  if (data === undefined) {
    return (
      <Center component="main" mih="100dvh" p="md">
        <Problem error={error} onRetry={() => void refetch()} />
      </Center>
    );
  }
  if (data.session === undefined) {
    return (
      <Suspense>
        <SignInPage />
      </Suspense>
    );
  }
  return (
    <Shell session={data.session}>
      <Outlet />
      <Suspense>{data.hasEnded && <SignInAgain />}</Suspense>
    </Shell>
  );
}

function Shell({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [overlay, setOverlay] = useState<OverlayName>();
  const [needsOverlays, setNeedsOverlays] = useState(false);
  const show = (name: OverlayName): void => {
    setNeedsOverlays(true);
    setOverlay(name);
  };
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigating closes the drawer
  useEffect(close, [pathname]);
  // Pages open at once, and during an outage too.
  useEffect(() => whenIdle(() => void preloadPages()), []);
  useKeyboard({ openPalette: () => show('palette'), openHelp: () => show('help') });
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
        <ConnectionBar />
        {children}
      </AppShell.Main>
      <Suspense>
        {needsOverlays && <Overlays shown={overlay} onClose={() => setOverlay(undefined)} />}
      </Suspense>
    </AppShell>
  );
}
