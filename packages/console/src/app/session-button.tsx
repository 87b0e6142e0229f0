// Who is signed in; the menu is loaded when it is opened for the first time.

import type { Session } from '@opentill/client/operator';
import { Suspense, useState } from 'react';
import { lazyPage } from '../parts/lazy-page.tsx';
import { SessionTarget } from './session-target.tsx';

const SessionMenu = lazyPage(() => import('./session-menu.tsx'), 'SessionMenu');

export function SessionButton({ session }: { readonly session: Session }) {
  const [isNeeded, setNeeded] = useState(false);
  const button = <SessionTarget madeBy={session.madeBy} onClick={() => setNeeded(true)} />;
  if (!isNeeded) return button;
  return (
    <Suspense fallback={button}>
      <SessionMenu session={session} />
    </Suspense>
  );
}
