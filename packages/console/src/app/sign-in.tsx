// The address of sign-in links, whose code is in the fragment.

import { useWindowEvent } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { sessionQuery } from '../api/session.ts';
import { SignInPage } from '../pages/sign-in-page.tsx';
import { reloadPage, takeFragment } from '../runtime/page.ts';

/** Also signs in if somebody is signed in already: the link may be for another role. */
export function SignIn() {
  const [code] = useState(takeFragment);
  const [isSignedIn, setSignedIn] = useState(code === undefined);
  const { data } = useQuery(sessionQuery);
  // A second link differs in its fragment only, for which a browser loads no page.
  useWindowEvent('hashchange', reloadPage);
  if (isSignedIn && data?.session !== undefined) return <Navigate to="/" replace />;
  return <SignInPage code={code} onSignedIn={() => setSignedIn(true)} />;
}
