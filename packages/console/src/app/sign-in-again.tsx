// Signs in above the page when the session has ended. What was typed on the page stays, and every call needs a session,
// so the dialog cannot be closed.

import { SignInForm } from '../pages/sign-in-page.tsx';
import { Dialog } from '../parts/dialog.tsx';

export function SignInAgain() {
  return (
    <Dialog title="Your session has ended" isOpen>
      <SignInForm />
    </Dialog>
  );
}
