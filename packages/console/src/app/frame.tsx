// The frame of every page: the bar, the navigation, keys, and sign-in above the page when the session has ended.

import { AppShell, Center, Loader, NavLink, type NavLinkProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Session } from '@opentill/client/operator';
import { IconBook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLink, lazyRouteComponent, Outlet, useLocation } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { sessionQuery } from '../api/session.ts';
import { EnvironmentLine } from '../parts/environment.tsx';
import { Problem } from '../parts/problem.tsx';
import { Header } from './header.tsx';
import { useKeyboard } from './keyboard.ts';
import { type NavigationEntry, navigation } from './navigation.ts';
import type { OverlayName } from './overlays.tsx';

const SignInPage = lazyRouteComponent(() => import('../pages/sign-in-page.tsx'), 'SignInPage');
const SignInAgain = lazyRouteComponent(() => import('./sign-in-again.tsx'), 'SignInAgain');
const Overlays = lazyRouteComponent(() => import('./overlays.tsx'), 'Overlays');

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
  useKeyboard({ openPalette: () => show('palette'), openHelp: () => show('help') });
  return (
    <AppShell
      header={{ height: headerHeight }}
      navbar={{ width: navigationWidth, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="lg"
    >
      <EnvironmentLine />
      <Header
        session={session}
        isNavigationOpen={isOpen}
        onToggleNavigation={toggle}
        onOpenCalls={() => show('calls')}
      />
      <AppShell.Navbar p="xs" aria-label="Pages">
        {navigation.map((entry) => (
          <PageEntry key={entry.to} entry={entry} />
        ))}
        <NavLink href="/docs" target="_blank" label="API reference" leftSection={<IconBook size={16} />} />
      </AppShell.Navbar>
      <AppShell.Main>{children}</AppShell.Main>
      <Suspense>
        {needsOverlays && <Overlays shown={overlay} onClose={() => setOverlay(undefined)} />}
      </Suspense>
    </AppShell>
  );
}

// The router would mark Apps in the lab of an app too.
const PageNavLink = createLink((props: NavLinkProps) => (
  <NavLink component="a" {...props} aria-current={props.active === true ? 'page' : undefined} />
));

function PageEntry({ entry: { label, to, icon: Icon } }: { readonly entry: NavigationEntry }) {
  const { pathname } = useLocation();
  const isActive = to === '/' ? pathname === '/' : sectionOf(pathname).startsWith(to);
  return (
    <PageNavLink to={to} label={label} color="gray" leftSection={<Icon size={16} />} active={isActive} />
  );
}

/** The lab and the subscriptions of an app have entries of their own. */
function sectionOf(pathname: string): string {
  return pathname.replace(/^\/apps\/[^/]+\/(?=lab$|subscriptions\/)/, '/');
}
