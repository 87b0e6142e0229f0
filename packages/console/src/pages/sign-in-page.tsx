// Signs in: by the code of a one-time link, which is in the fragment of the address, or by an operator key.

import { Alert, Button, Center, Code, Loader, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { hasStatus } from '../api/client.ts';
import { sessionQuery, useSignIn } from '../api/session.ts';
import { Dialog } from '../parts/dialog.tsx';
import { EnvironmentBadge } from '../parts/environment.tsx';
import { usePageTitle } from '../parts/page-heading.tsx';
import { Problem } from '../parts/problem.tsx';
import { isProduction, reloadPage, takeFragment } from '../runtime/page.ts';

interface SignInPageProps {
  /** The code of a one-time link. */
  readonly code?: string | undefined;
  readonly onSignedIn?: () => void;
}

/** The address of sign-in links. It also signs in over an existing session: the link may be for another role. */
export function SignInLinkPage() {
  const [code] = useState(takeFragment);
  const [isSignedIn, setSignedIn] = useState(code === undefined);
  const { data } = useQuery(sessionQuery);
  // A second link differs in its fragment only, for which a browser loads no page.
  useWindowEvent('hashchange', reloadPage);
  if (isSignedIn && data?.session !== undefined) return <Navigate to="/" replace />;
  return <SignInPage code={code} onSignedIn={() => setSignedIn(true)} />;
}

/** Above the page when the session has ended: what was typed stays, and every call needs a session. */
export function SignInAgain() {
  return (
    <Dialog title="Your session has ended" isOpen>
      <SignInForm />
    </Dialog>
  );
}

export function SignInPage(props: SignInPageProps) {
  usePageTitle('Sign in');
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder radius="md" p="xl" w="100%" maw={420}>
        <Stack gap="lg">
          <Stack gap="xs" align="flex-start">
            <EnvironmentBadge />
            <Title order={1}>OpenTill</Title>
          </Stack>
          <SignInForm {...props} />
        </Stack>
      </Paper>
    </Center>
  );
}

function SignInForm({ code, onSignedIn }: SignInPageProps) {
  const signIn = useSignIn(onSignedIn);
  const [key, setKey] = useState('');
  const { mutate } = signIn;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (code !== undefined) mutate({ code });
  }, [code, mutate]);
  if (code !== undefined && (signIn.isIdle || signIn.isPending)) {
    return (
      <Center p="lg" aria-busy="true">
        <Loader aria-label="Signing in" />
      </Center>
    );
  }
  const isWrong = hasStatus(signIn.error, 401);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate({ key });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {signIn.error !== null && !isWrong && <Problem error={signIn.error} />}
        {isWrong && code !== undefined && (
          <Alert color="bad" role="alert">
            This link was used before, or is over 10 minutes old.
          </Alert>
        )}
        <PasswordInput
          label="Operator key"
          description="A key of the role read, support or admin from the settings of the server; with the bundled PostgreSQL also that of operator.key in its data folder."
          name="key"
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          ref={field}
          error={isWrong && code === undefined && 'This is not an operator key of this server.'}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
        {!isProduction && (
          <Text size="sm" c="dimmed">
            Without a key: <Code>npx opentill console</Code> prints a link that signs in.
          </Text>
        )}
      </Stack>
    </form>
  );
}
