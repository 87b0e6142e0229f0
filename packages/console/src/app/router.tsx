// The pages and their addresses.

import { useWindowEvent } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
} from '@tanstack/react-router';
import { useState } from 'react';
import { sessionQuery } from '../api/session.ts';
import { NotFoundPage } from '../pages/not-found-page.tsx';
import { SignInPage } from '../pages/sign-in-page.tsx';
import { reloadPage, takeFragment } from '../runtime/page.ts';
import { Frame } from './frame.tsx';

const root = createRootRoute();

/** Also signs in if somebody is signed in already: the link may be for another role. */
function SignIn() {
  const [code] = useState(takeFragment);
  const [isSignedIn, setSignedIn] = useState(code === undefined);
  const { data } = useQuery(sessionQuery);
  // A second link differs in its fragment only, for which a browser loads no page.
  useWindowEvent('hashchange', reloadPage);
  if (isSignedIn && data?.session !== undefined) return <Navigate to="/" replace />;
  return <SignInPage code={code} onSignedIn={() => setSignedIn(true)} />;
}

const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: SignIn });
const frame = createRoute({ getParentRoute: () => root, id: 'frame', component: Frame });
const overview = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/overview-page.tsx'), 'OverviewPage'),
});
const unknown = createRoute({ getParentRoute: () => frame, path: '$', component: NotFoundPage });

export const router = createRouter({
  routeTree: root.addChildren([signIn, frame.addChildren([overview, unknown])]),
  basepath: '/console',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
